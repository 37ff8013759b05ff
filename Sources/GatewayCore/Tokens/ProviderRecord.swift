/// An action of the token provider for a user, for metrics.
package enum ProviderRecord: Hashable, Sendable {
  case asked
  case minted
  /// The provider failed at random, as configured.
  case failed(GatewayError)
  /// The provider's queue is full.
  case refused(GatewayError)
  /// A refresh token is refused.
  case denied(GatewayError)
  /// A budget is used up.
  case limited(GatewayError)
  /// A budget has shut the caller out.
  case banned(GatewayError)
}
