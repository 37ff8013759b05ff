internal import GatewayCore

/// Which operations of a process are traced.
package struct TraceSettings: Sendable {
  /// The share of new traces that are recorded, by their numbers.
  package var share: Double
  /// Whether spans name users.
  package var namesUsers: Bool
  /// The seed of the numbers of traces and spans.
  package var seed: UInt64
  /// How many loops share the limits.
  var loops = 1

  /// The share unless another is given.
  package static let usualShare = 0.01

  package init(share: Double = Self.usualShare, namesUsers: Bool = false, seed: UInt64) {
    self.share = share
    self.namesUsers = namesUsers
    self.seed = seed
  }

  /// Returns whether a trace is among the recorded share. Every process that goes by the number's lower half decides so.
  func takesIn(_ trace: TraceID) -> Bool {
    guard share < 1 else { return true }
    guard share > 0 else { return false }
    return trace.low >> 1 < UInt64(share * 0x1p63)
  }
}
