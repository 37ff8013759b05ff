/// What a client registers with: one of three generations of credentials.
package enum SinchProof: Hashable, Sendable {
  case token(String)
  case signature(String, sequence: UInt64)
  /// `life` is how long a registration the client asks for; nil for no end.
  case ticket(String, life: Duration?)
}
