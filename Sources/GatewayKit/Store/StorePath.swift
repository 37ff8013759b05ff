/// A place in a store: the name of a table and the parts of a key in order, e.g. `plain.member`, a call and a user.
/// Paths are compared by bytes, part by part.
package struct StorePath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The parts with a zero after each. Within a part 0 is written 1 1 and 1 is written 1 2. So any text may be a part,
  /// and no path is a prefix of another by accident.
  package let bytes: [UInt8]

  /// Creates the path with these ``bytes``.
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

  /// Whether it has no parts, only the name of a table.
  package var isOfAll: Bool { bytes.firstIndex(of: 0) == bytes.count - 1 }

  /// The name of the table and the parts, cut short, for an operator: `plain.member (default:call, ann)`. Characters
  /// that a terminal must not receive are written as their numbers.
  package var description: String {
    var parts: [String] = []
    for part in bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
      var text = ""
      for scalar in String(decoding: part.prefix(Self.shownMax), as: UTF8.self).unicodeScalars {
        let isShown = scalar.value > 0x20 && !(0x7F...0x9F).contains(scalar.value)
        text += isShown ? String(scalar) : "<\(scalar.value)>"
      }
      parts.append(text)
    }
    return (parts.first ?? "") + (parts.count > 1 ? " (\(parts.dropFirst().joined(separator: ", ")))" : "")
  }

  private static let shownMax = 64

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

  /// The lower bound of the paths that follow all paths with this one as their beginning.
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
