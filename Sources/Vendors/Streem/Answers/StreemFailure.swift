internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// An error in answer to a request over the socket or HTTP, in the format of its protocol.
///
/// It has the vendor's or OAuth's reason if there is one, a sentence, and whether a retry may help.
struct StreemFailure: Error, Hashable {
  /// The format of an error's JSON; for Streem's own, its `type`.
  enum Form: String {
    case error
    /// The answer to a token.
    case identifyFailed
    /// `error` and `error_description` of OAuth.
    case openID
  }

  var form = Form.error
  var reason: String
  var message: String
  var isRetryable = false
  /// The gateway's error number, if it has one.
  var number: Int?
  var status: Int
  var headers: [HTTPField] = []

  /// Converts a gateway error. In answer to a token it becomes an `identifyFailed`.
  init(_ error: GatewayError, isOfToken: Bool = false) {
    let reason = StreemReason(error)
    form = isOfToken ? .identifyFailed : .error
    self.reason = reason?.rawValue ?? error.name
    message = error.message
    isRetryable = Self.helpsToRetry(error)
    number = error.number
    status = reason == .malformed ? 400 : error.httpStatus
    if status == 503 { headers.append(.retryAfter(.seconds(5))) }
    if status == 401 { headers.append(HTTPField("www-authenticate", #"Bearer realm="postern""#)) }
  }

  /// Creates a failure with one of the vendor's names.
  init(_ word: Word, status: Int, _ message: String) {
    reason = word.rawValue
    self.message = message
    self.status = status
  }

  /// The vendor's names of errors with invitations (section "Errors" of its SDK documentation), e.g.
  /// `InvitationConsumed`.
  enum Word: String {
    case invitationInvalid = "InvitationInvalid"
    case invitationConsumed = "InvitationConsumed"
    case clientVersionTooOld = "ClientVersionTooOld"
    case invalidUserName = "InvalidUserName"
    case invalidPhoneNumber = "InvalidPhoneNumber"
    case landlinePhoneNumber = "LandlinePhoneNumber"
    case smsDeliveryFailure = "SmsDeliveryFailure"
  }

  /// Returns whether an error of an open session concerns a token rather than an operation.
  static func isOfToken(_ error: GatewayError) -> Bool {
    let others: [GatewayError] = [.alreadyInProgress, .tokenNotRenewed, .tokenRevoked, .userMismatch, .draining]
    return StreemReason(error) != nil || (others + [.anonymousRefused]).contains { $0.isSame(as: error) }
  }

  /// Returns whether a new token or a short wait can help.
  private static func helpsToRetry(_ error: GatewayError) -> Bool {
    let curable: [GatewayError] = [
      .tokenExpired, .sessionExpired, .tokenUsedBeforeIssued, .tokenNotRenewed, .tokenRevoked, .alreadyInProgress,
      .connectionRequired, .credentialsMissing, .tooMany, .overloaded, .draining, .storeUnavailable,
      .identityUnavailable,
    ]
    return curable.contains { $0.isSame(as: error) }
  }

  func json(_ request: RequestID? = nil) -> [UInt8] {
    JSONWriter.object { json in
      guard form != .openID else {
        json.member("error", reason)
        json.member("error_description", message)
        return
      }
      json.member("type", form.rawValue)
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
