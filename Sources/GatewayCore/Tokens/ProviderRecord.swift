/// A deed of the token provider for a user, for those who count: it makes martin a token, say.
package enum ProviderRecord: Hashable, Sendable {
  case asked
  case minted
  /// By chance, as configured.
  case failed(GatewayError)
  /// For want of room in the queue.
  case refused(GatewayError)
}
