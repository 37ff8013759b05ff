package import GatewayCore

/// A judge who may refuse a good token that a request over HTTP shows: a gateway's faults.
package protocol TokenObjector: Sendable {
  /// Returns why the token is refused; nil if it is not. Only on the gateway's loop.
  ///
  /// - Parameters:
  ///   - dialect: The name of the wire format that the token is for.
  ///   - isRefresh: Whether the request exchanges the token for another session of a user who is logged in.
  func refusal(of token: VerifiedToken, shownTo dialect: String, isRefresh: Bool) -> GatewayError?
}
