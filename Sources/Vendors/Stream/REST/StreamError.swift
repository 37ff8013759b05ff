internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// An error in Stream's format. Never contains a token.
struct StreamError: Error, Hashable, Sendable {
  /// Stream's error number.
  var code: Int
  /// The HTTP status, which the body contains too.
  var status: Int
  var message: String
  /// Postern's own error numbers where they say more: 800101 for missing authentication.
  var details: [Int]
  /// The wrong members of the request, with what is wrong.
  var fields: [HTTPField]
  /// Whether a retry cannot succeed.
  var isUnrecoverable: Bool
  /// The time after which a retry can succeed; nil if it is unknown. A header field over HTTP.
  var retryAfter: Duration?

  init(
    code: Int, status: Int, _ message: String, details: [Int] = [], fields: [HTTPField] = [],
    isUnrecoverable: Bool = false
  ) {
    self.code = code
    self.status = status
    self.message = message
    self.details = details
    self.fields = fields
    self.isUnrecoverable = isUnrecoverable
  }

  /// The page that explains the codes.
  static let moreInfo = "https://getstream.io/chat/docs/api_errors_response"

  // The codes, each with the status that Stream documents.

  static func internalError(_ message: String) -> StreamError { .init(code: -1, status: 500, message) }
  static func accessKey(_ message: String) -> StreamError { .init(code: 2, status: 401, message) }
  /// Returns an error for a missing or wrong member of the request, named in `exception_fields` if `field` is given.
  static func input(_ message: String, field: String? = nil) -> StreamError {
    .init(code: 4, status: 400, message, fields: field.map { [HTTPField($0, message)] } ?? [])
  }
  static func authentication(_ message: String, details: [Int] = []) -> StreamError {
    .init(code: 5, status: 401, message, details: details)
  }
  static func duplicateName(_ message: String) -> StreamError { .init(code: 6, status: 400, message) }
  static func rateLimit(_ message: String) -> StreamError { .init(code: 9, status: 429, message) }
  static func doesNotExist(_ message: String) -> StreamError { .init(code: 16, status: 404, message) }
  static func notAllowed(_ message: String) -> StreamError { .init(code: 17, status: 403, message) }
  static func tooBig(_ message: String) -> StreamError { .init(code: 22, status: 413, message) }
  static func connectionIDNotFound(_ message: String) -> StreamError { .init(code: 46, status: 400, message) }

  static let tokenExpired = StreamError(code: 40, status: 401, "JWTAuth error: token is expired (exp)")
  static let tokenRevoked = StreamError(
    code: 40, status: 401, "This token has been revoked, please generate a new token")
  static let tokenNotYetValid = StreamError(
    code: 41, status: 401, "JWTAuth error: token is not valid yet (nbf)")
  static let tokenUsedBeforeIssued = StreamError(
    code: 42, status: 401, "JWTAuth error: token used before issue at (iat)")
  static func signatureInvalid(key: String) -> StreamError {
    .init(
      code: 43, status: 401,
      "JWTAuth error: signature is not valid. Make sure the token is created using the secret for API key \"\(key)\"")
  }
  /// Returns an error for a missing authentication.
  static func authenticationMissing(_ message: String) -> StreamError {
    authentication(message, details: [GatewayError.connectionRequired.number])
  }
}

extension StreamError {
  /// Returns the error as a body. The message begins with the failed operation, e.g. `JoinCall`.
  func body(operation: String?, duration: Duration = .zero) -> [UInt8] {
    var error = self
    if let operation { error.message = "\(operation) failed with error: \"\(message)\"" }
    return JSONWriter.object(capacity: 384) { error.writeMembers(to: &$0, duration: StreamDuration.text(duration)) }
  }

  /// Writes the members of the error object; `duration` is empty on a socket.
  func writeMembers(to json: inout JSONWriter, duration: String = "") {
    json.member("code", Int64(code))
    json.member("message", message)
    json.member("StatusCode", Int64(status))
    json.member("duration", duration)
    json.member("more_info", duration.isEmpty ? "" : Self.moreInfo)
    json.name("details")
    json.beginArray()
    for detail in details { json.integer(Int64(detail)) }
    json.endArray()
    if !fields.isEmpty {
      json.name("exception_fields")
      json.beginObject()
      for field in fields {
        json.name(field.name)
        json.string(field.value)
      }
      json.endObject()
    }
    if isUnrecoverable { json.member("unrecoverable", true) }
  }
}

extension StreamError {
  /// Returns the error as an HTTP response.
  func response(_ operation: String? = nil, _ duration: Duration = .zero) -> HTTPResponse {
    var response = HTTPResponse(status: status, json: body(operation: operation, duration: duration))
    if let retryAfter { response.headers.append(.retryAfter(retryAfter)) }
    return response
  }
}

/// The time that a request took, as Stream writes it, e.g. `1.25ms`.
enum StreamDuration {
  /// Formats milliseconds with two decimals: `1.25ms`.
  static func text(_ duration: Duration) -> String {
    let hundredths = max(0, duration.nanoseconds) / 10_000
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)ms"
  }
}
