/// The credentials that a client registers with, of one of three generations: a registration token of today's, for
/// instance.
package enum SinchProof: Hashable, Sendable {
  case token(String)
  case signature(String, sequence: UInt64)
  /// `life` is how long a registration the client asks for; nil for no end.
  case ticket(String, life: Duration?)
}
