internal import GatewayCore
internal import GatewayKit

/// A turn that a node was granted while it waited, as a numbered message on the bus.
///
/// The number of the message (8 bytes), 2, the node (1) and its boot (2), the fencing number (8) and the path.
struct TurnGrant {
  let life: NodeBoot
  let number: UInt64
  let path: StorePath

  private static let format: UInt8 = 2
  private static let headBytes = 20

  /// Reads a message; nil if it is another. Anybody may have published it.
  init?(_ bytes: [UInt8]) {
    guard bytes.count > Self.headBytes, bytes[8] == Self.format else { return nil }
    life = NodeBoot(node: Int(bytes[9]), boot: Int(bytes[10]) << 8 | Int(bytes[11]))
    number = bytes[12..<20].reduce(0) { $0 << 8 | UInt64($1) }
    path = StorePath(bytes: Array(bytes[Self.headBytes...]))
  }

  /// Returns the life as the scripts know it.
  static func bytes(of life: NodeBoot) -> [UInt8] {
    [UInt8(life.node), UInt8(life.boot >> 8), UInt8(life.boot & 0xFF)]
  }
}
