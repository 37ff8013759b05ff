internal import GatewayCore
internal import GatewayKit

/// A node as the other processes of a store know it: the holder of its number, and the count of renewals.
struct NodeRow: StoreValue, Hashable {
  enum State: String, Codable {
    /// A process has the number and renews its lease.
    case live
    /// A process has the store for itself, so it renews nothing.
    case alone
    /// The process is gone, and may have left something.
    case ended
    /// Nothing is left of it.
    case free
  }

  /// The name that the process was given.
  var name: Name
  /// The boot of the last life.
  var boot: Int
  var state: State
  /// How often the lease was renewed.
  var beats = 0

  func life(of node: Int) -> NodeBoot { NodeBoot(node: node, boot: boot) }
}

/// The row that every commit of a process checks. It is written when a life begins and when it is over, and never by the
/// life itself.
struct NodeFence: StoreValue {
  var boot: Int
  var isOver: Bool
}
