/// The credentials that a client registers with, of one of three generations.
enum SinchProof: Hashable, Sendable {
  case token(String)
  case signature(String, sequence: UInt64)
  /// `life` is the requested registration time; nil for no end.
  case ticket(String, life: Duration?)
}
