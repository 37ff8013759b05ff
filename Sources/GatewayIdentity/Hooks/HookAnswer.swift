internal import GatewayCore
internal import GatewayJSON

/// The backend's answer to a question, in the JSON of Centrifugo's proxy.
enum HookAnswer: Sendable, Hashable {
  case accepted(Acceptance)
  /// The session does not go on with this token, but may with another.
  case expired
  /// The backend's own code and message.
  case refused(code: String, String)
  case closed(CloseReason)

  /// The content of `result`.
  struct Acceptance: Sendable, Hashable {
    /// Empty for an anonymous user; nil if the member is missing.
    var user: String?
    var expireAt: WallTime?
    /// JSON for the client.
    var data: String?
    /// JSON that later questions about the connection contain.
    var info: String?
  }

  private static let dataMax = 16 << 10
  private static let infoMax = 4 << 10
  /// The maximum number of bytes of the backend's message.
  private static let messageMax = 256
  private static let reasonMax = 32
  private static let codes: ClosedRange<Int64> = 4_000...4_999

  /// Reads an answer. Throws a failure that quotes nothing of it.
  init(_ response: HTTPResponse) throws(OutboundFailure) {
    if response.status == 401 || response.status == 403 {
      self = .refused(code: String(response.status), "")
      return
    }
    guard response.status == 200 else { throw OutboundFailure(status: response.status) }
    let root: JSONView
    do throws(JSONError) {
      root = try JSONDocument.parse(response.body).root
    } catch {
      throw Self.malformed("the answer is no JSON")
    }
    if let disconnect = Self.member("disconnect", root) {
      self = .closed(try Self.reason(disconnect))
    } else if let error = Self.member("error", root) {
      guard let code = error["code"]?.integer else { throw Self.malformed("error has no integer code") }
      self = .refused(code: String(code), Self.beginning(of: error["message"]?.string ?? ""))
    } else if let result = Self.member("result", root) {
      self = try Self.result(result)
    } else {
      throw Self.malformed("the answer has no object result, error or disconnect")
    }
  }

  /// Returns the characters of the text that fit into a message.
  private static func beginning(of text: String) -> String {
    let end = text.utf8.index(text.startIndex, offsetBy: messageMax, limitedBy: text.endIndex) ?? text.endIndex
    // An index inside a character's bytes stands for that character.
    return String(text.unicodeScalars[..<end])
  }

  private static func malformed(_ text: String) -> OutboundFailure {
    var failure = OutboundFailure(text, .malformed)
    // The same question would get the same answer.
    failure.isLasting = true
    return failure
  }

  private static func member(_ name: StaticString, _ root: JSONView) -> JSONView? {
    guard let value = root[name], value.isObject else { return nil }
    return value
  }

  private static func reason(_ disconnect: JSONView) throws(OutboundFailure) -> CloseReason {
    let text = disconnect["reason"]?.string ?? ""
    guard let code = disconnect["code"]?.integer, codes.contains(code), text.utf8.count <= reasonMax,
      let reason = CloseReason(code: UInt16(code), name: text)
    else {
      throw malformed("disconnect needs a code of 4000 to 4999 and a reason of at most \(reasonMax) bytes")
    }
    return reason
  }

  private static func result(_ result: JSONView) throws(OutboundFailure) -> HookAnswer {
    if result["expired"]?.bool == true { return .expired }
    var acceptance = Acceptance()
    if let user = given("user", result) {
      guard let text = user.string, text.utf8.count <= UserID.lengthMax else {
        throw malformed("user is no text of at most \(UserID.lengthMax) bytes")
      }
      acceptance.user = text
    }
    if let end = given("expire_at", result) {
      guard let seconds = end.number else { throw malformed("expire_at is no number") }
      // 0 is no time, as in Centrifugo.
      if seconds != 0 { acceptance.expireAt = WallTime(seconds: seconds) }
    }
    acceptance.data = try json("data", result, dataMax)
    acceptance.info = try json("info", result, infoMax)
    return .accepted(acceptance)
  }

  private static func given(_ name: StaticString, _ object: JSONView) -> JSONView? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  private static func json(
    _ name: StaticString, _ result: JSONView, _ bytesMax: Int
  ) throws(OutboundFailure) -> String? {
    guard let text = given(name, result)?.text else { return nil }
    guard text.utf8.count <= bytesMax else { throw malformed("\(name) has more than \(bytesMax) bytes") }
    return text
  }
}
