/// The place of something in a store: the name of its table and the parts that tell it from its neighbours, in order;
/// `plain.member`, a call and a user, for instance. Compared by bytes, part by part.
package struct StorePath: Hashable, Comparable, Sendable {
  /// The parts with a zero after each. Within a part 0 is written 1 1 and 1 is written 1 2, so that any text may be a part
  /// and no path begins another by accident.
  package let bytes: [UInt8]

  /// The path that ``bytes`` were read from.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ table: String, _ parts: [String] = []) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parts.reduce(table.utf8.count + 1) { $0 + $1.utf8.count + 1 })
    Self.append(table, to: &bytes)
    for part in parts { Self.append(part, to: &bytes) }
    self.bytes = bytes
  }

  /// Whether it has no parts: nothing that tells it from others of its name.
  package var isOfAll: Bool { bytes.firstIndex(of: 0) == bytes.count - 1 }

  private static func append(_ part: String, to bytes: inout [UInt8]) {
    for byte in part.utf8 {
      if byte > 1 {
        bytes.append(byte)
      } else {
        bytes += [1, byte + 1]
      }
    }
    bytes.append(0)
  }

  /// What comes after every path that begins with this one.
  package var end: StorePath {
    StorePath(bytes: bytes.dropLast() + [1])
  }

  package static func == (lhs: StorePath, rhs: StorePath) -> Bool {
    lhs.bytes == rhs.bytes
  }

  package static func < (lhs: StorePath, rhs: StorePath) -> Bool {
    lhs.bytes.lexicographicallyPrecedes(rhs.bytes)
  }

  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
