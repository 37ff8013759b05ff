/// One run of a gateway process with a common store: the number of its node, and how often that number was taken
/// before.
package struct NodeBoot: Hashable, Sendable, CustomStringConvertible {
  /// 0...63.
  package let node: Int
  /// 0...16383; the number after the last is 0 again.
  package let boot: Int

  package static let nodes = 64
  package static let boots = 1 << 14

  /// Numbers beyond the ranges lose their upper bits.
  package init(node: Int, boot: Int) {
    self.node = node & (Self.nodes - 1)
    self.boot = boot & (Self.boots - 1)
  }

  /// The first life of the first node; the only life of a process that shares no state.
  package static let first = NodeBoot(node: 0, boot: 0)

  /// The next life of the node.
  package var next: NodeBoot { NodeBoot(node: node, boot: boot + 1) }

  /// Returns whether it is an earlier life of the same node. Numbers begin again after the last, so the nearer half of them
  /// counts as earlier.
  package func isBefore(_ other: NodeBoot) -> Bool {
    node == other.node && (1..<Self.boots / 2).contains((other.boot - boot) & (Self.boots - 1))
  }

  package var description: String { "\(node).\(boot)" }
}

extension NodeBoot: Codable {
  private static let bootBits: Int64 = 14

  package init(from decoder: any Decoder) throws {
    let number = try decoder.singleValueContainer().decode(Int64.self)
    self.init(node: Int(truncatingIfNeeded: number >> Self.bootBits), boot: Int(truncatingIfNeeded: number))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Int64(node) << Self.bootBits | Int64(boot))
  }
}
