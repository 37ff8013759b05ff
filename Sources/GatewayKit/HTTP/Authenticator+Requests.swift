package import GatewayCore

// Who asks over HTTP, by a token that would open a connection.

extension Authenticator {
  /// The verified token that a request has as `Authorization: Bearer` (RFC 6750 section 2.1): judged as a connection's is, and
  /// not revoked. Throws `GatewayError.connectionRequired` where there is no such field, `GatewayError.credentialsMissing`
  /// where it has another scheme, and what is wrong with the token, a fault of the wire format `dialect` among it.
  ///
  /// Whether its user has a connection is another question: `GatewayServices.isConnected(_:)`.
  package nonisolated(nonsending) func token(
    of request: HTTPRequest, for dialect: String, on services: any GatewayServices
  ) async throws(GatewayError) -> VerifiedToken {
    guard request.header("authorization") != nil else { throw .connectionRequired }
    guard let presented = request.bearerToken else {
      throw .credentialsMissing.detailed("Authorization is not Bearer and a token")
    }
    let token = try await judge(Credentials(token: presented), at: services.wallTime).verdict.get()
    if let refusal = await services.refusal(of: token, shownTo: dialect, isRefresh: false) { throw refusal }
    return token
  }
}
