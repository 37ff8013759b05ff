/// A message or code that most wire formats have, but not all.
package enum WireFeature: Hashable, Sendable {
  /// A close code that keeps a client away permanently.
  case terminalClose
  /// A request for another token when a token is revoked.
  case revocationRequest
}
