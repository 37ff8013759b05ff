internal import GatewayCore
internal import GatewayKit

/// An HTTP response that a fault sends instead of the right one, e.g. 503 with `Retry-After`.
struct FaultAnswer: Hashable, Sendable {
  let error: GatewayError
  /// The status; nil for the error's own.
  let status: Int?
  let retryAfter: Duration?

  static let members = ["status", "retry_after_s", "error"]

  /// Reads an answer.
  ///
  /// - Parameter unauthorized: The error of a 401 if the order names none.
  init(_ fields: FaultFields, unauthorized: GatewayError = .tokenExpired) throws(GatewayError) {
    status = try fields.whole("status", in: 400...599).map { Int($0) }
    retryAfter = try fields.seconds("retry_after_s")
    let usual: GatewayError =
      switch status {
      case 401?: unauthorized
      case 403?: .notPermitted
      case 429?: .tooMany
      case nil, 503?: .overloaded
      default: .internalError
      }
    error = try fields.error("error") ?? usual
  }

  init(_ error: GatewayError, status: Int?, retryAfter: Duration?) {
    self.error = error
    self.status = status
    self.retryAfter = retryAfter
  }

  /// Returns the response, with the error in the format of `words`.
  func response(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse {
    var response = words(error)
    if let status { response.status = status }
    if let retryAfter {
      response.headers.removeAll { $0.name == "retry-after" }
      response.headers.append(.retryAfter(retryAfter))
    }
    return response
  }
}
