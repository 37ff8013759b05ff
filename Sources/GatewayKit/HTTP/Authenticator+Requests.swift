package import GatewayCore

// HTTP requests that are authenticated with the token of a connection.

extension Authenticator {
  /// Returns the verified token that the request carries as `Authorization: Bearer` (RFC 6750 section 2.1). It passes
  /// the same checks as a connection's token and is not revoked.
  ///
  /// Throws `GatewayError.connectionRequired` if the field is missing, and `GatewayError.credentialsMissing` if it has
  /// another scheme. Otherwise it throws the error of the token, which a fault of the wire format `dialect` may cause.
  ///
  /// The user need not have a connection; `GatewayServices.isConnected(_:)` answers that.
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
