internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// An error told to a client that asked for something it cannot have, the same over the socket and over HTTP: a reason
/// in the vendor's word where there is one, `InvitationConsumed` for instance, a sentence, and whether asking again may
/// help.
struct StreemFailure: Error, Hashable {
  var type = "error"
  var reason: String
  var message: String
  var isRetryable = false
  /// The gateway's number for it, if it has one.
  var number: Int?
  var status: Int
  var headers: [HTTPField] = []

  /// An error of the gateway; as an answer to a token it is an `identifyFailed`.
  init(_ error: GatewayError, isOfToken: Bool = false) {
    let reason = StreemReason(error)
    type = isOfToken ? "identifyFailed" : "error"
    self.reason = reason?.rawValue ?? error.name
    message = error.message
    isRetryable = Self.helpsToRetry(error)
    number = error.number
    status = reason == .malformed ? 400 : error.httpStatus
    if status == 503 { headers.append(.retryAfter(.seconds(5))) }
    if status == 401 { headers.append(HTTPField("www-authenticate", #"Bearer realm="postern""#)) }
  }

  /// A failure that has a name of the vendor's.
  init(_ word: Word, status: Int, _ message: String) {
    reason = word.rawValue
    self.message = message
    self.status = status
  }

  /// The vendor's name for what goes wrong with an invitation (section "Errors" of its SDK documentation):
  /// `InvitationConsumed`, for instance.
  enum Word: String {
    case invitationInvalid = "InvitationInvalid"
    case invitationConsumed = "InvitationConsumed"
    case clientVersionTooOld = "ClientVersionTooOld"
    case invalidUserName = "InvalidUserName"
    case invalidPhoneNumber = "InvalidPhoneNumber"
    case landlinePhoneNumber = "LandlinePhoneNumber"
    case smsDeliveryFailure = "SmsDeliveryFailure"
  }

  /// Whether an error of an open session is about a token, not about an operation.
  static func isOfToken(_ error: GatewayError) -> Bool {
    let others: [GatewayError] = [.alreadyInProgress, .tokenNotRenewed, .tokenRevoked, .userMismatch, .draining]
    return StreemReason(error) != nil || (others + [.anonymousRefused]).contains { $0.isSame(as: error) }
  }

  /// A fresh token, or a moment, cures these.
  private static func helpsToRetry(_ error: GatewayError) -> Bool {
    let curable: [GatewayError] = [
      .tokenExpired, .sessionExpired, .tokenUsedBeforeIssued, .tokenNotRenewed, .tokenRevoked, .alreadyInProgress,
      .connectionRequired, .credentialsMissing, .tooMany, .overloaded, .draining, .storeUnavailable,
    ]
    return curable.contains { $0.isSame(as: error) }
  }

  func json(_ request: RequestID? = nil) -> [UInt8] {
    JSONWriter.object { json in
      json.member("type", type)
      if let request { json.member("id", request.rawValue) }
      json.member("reason", reason)
      json.member("message", message)
      json.member("retryable", isRetryable)
      if let number { json.member("number", Int64(number)) }
    }
  }

  var response: HTTPResponse {
    var response = HTTPResponse(status: status, json: json())
    response.headers += headers
    return response
  }
}
