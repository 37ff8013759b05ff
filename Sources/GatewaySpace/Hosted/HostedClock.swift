package import GatewayCore

/// The time of a hosted space that is not its host's.
package struct HostedClock: Sendable {
  /// Whether it stands still until an order moves it.
  package var isFrozen = false
  /// The time of day at first; nil for that of the host.
  package var wall: WallTime?
  /// The seed of the space's chance.
  package var seed: UInt64

  package init(isFrozen: Bool = false, wall: WallTime? = nil, seed: UInt64) {
    self.isFrozen = isFrozen
    self.wall = wall
    self.seed = seed
  }
}
