internal import GatewayCore
internal import GatewayKit

/// A request to create an invitation.
struct StreemInvitationOrder: Hashable {
  /// The way in which the invited person receives the code.
  enum Kind: String, CaseIterable {
    /// The application sends the link.
    case link = "LINK"
    /// By SMS.
    case phone = "PHONE"
  }

  private static let userNameBytesMax = 200

  var toUserName: String
  var referenceID: String?
  var integrationID: String?
  var phone: String?
  var kind: Kind

  /// Reads a request's JSON object; throws the vendor's error name.
  init(bytes: [UInt8]) throws(StreemFailure) {
    let read: Result<Self, StreemFailure>
    do throws(GatewayError) {
      read = try JSONObject.read(bytes) { body in Result { () throws(StreemFailure) in try Self(body) } }
    } catch {
      throw StreemFailure(error)
    }
    self = try read.get()
  }

  /// Reads the JSON object of a request or message; throws the vendor's error name.
  init(_ body: JSONObject) throws(StreemFailure) {
    do throws(GatewayError) {
      self = try Self(members: body)
    } catch {
      throw StreemFailure(error)
    }
    guard !toUserName.allSatisfy(\.isWhitespace), toUserName.utf8.count <= Self.userNameBytesMax else {
      throw StreemFailure(
        .invalidUserName, status: 400, "toUserName must be a name of 1 to \(Self.userNameBytesMax) bytes")
    }
    guard kind == .link || phone != nil, phone.map(Self.isE164) ?? true else {
      throw StreemFailure(
        .invalidPhoneNumber, status: 400, "phone must be a number with country code in E.164, as +14155550123")
    }
  }

  private init(members body: JSONObject) throws(GatewayError) {
    toUserName = try body.text("toUserName") ?? ""
    referenceID = try body.text("referenceId")
    integrationID = try body.text("integrationId")
    phone = try body.text("phone")
    guard let kind = Kind(rawValue: try body.text("invitationType") ?? Kind.link.rawValue) else {
      throw .invalidParameter.detailed("invitationType must be LINK or PHONE")
    }
    self.kind = kind
  }

  /// Returns whether it is an ITU-T E.164 number: a plus, a country code, 15 digits at most; 7 at least, as no number
  /// is shorter.
  private static func isE164(_ number: String) -> Bool {
    let digits = number.utf8.dropFirst()
    return number.utf8.first == UInt8(ascii: "+") && (7...15).contains(digits.count)
      && digits.first != UInt8(ascii: "0") && digits.allSatisfy { (0x30...0x39).contains($0) }
  }
}
