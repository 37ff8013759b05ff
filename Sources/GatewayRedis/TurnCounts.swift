internal import GatewayCore

/// The numbers of turns that a node has asked for.
package struct TurnCounts: Hashable, Sendable {
  package var taken: UInt64 = 0
  /// Turns that could not be had, e.g. since Redis was away.
  package var failed: UInt64 = 0
  /// Turns that the node did not renew in time, and that another has had.
  package var lost: UInt64 = 0
  /// Turns for which other nodes were waited for.
  package var waited: UInt64 = 0
  /// The sum of the times from each request to the turn.
  package var time = Duration.zero

  package init() {}
}
