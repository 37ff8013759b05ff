/// The name of one connection, e.g. `conn_0_17`: the number of its loop, and its number on that loop.
///
/// The name contains the loop and the life of the gateway process, so a connection is found without a global dictionary.
/// Two processes with a common store never give the same name. Node 0 in its first life adds nothing to the text.
package struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
  /// From the highest bit: 4 bits of the node, 8 of the loop, 2 of the node, 14 of the boot, 36 of the count. The node is in
  /// two parts, so that names of node 0 have the numbers that names had before there were nodes.
  package let rawValue: UInt64

  private static let countBits: UInt64 = 36
  private static let serialBits: UInt64 = 50
  private static let loopShift: UInt64 = 52
  /// How many loops a process may have.
  package static let loops = 256

  /// Creates the name with that number. Every number is a name.
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates the name of a connection of node 0: `serial` is its ``serial``. Numbers beyond the ranges lose their upper bits.
  package init(loop: Int, serial: UInt64) {
    self.init(node: 0, loop: loop, serial: serial)
  }

  /// Creates the name of the `count`-th connection (below 2^36) of loop number `loop` (0...255) in a life of a process.
  package init(_ life: NodeBoot, loop: Int, count: UInt64) {
    self.init(
      node: life.node, loop: loop,
      serial: UInt64(life.boot) << Self.countBits | count & (1 << Self.countBits - 1))
  }

  private init(node: Int, loop: Int, serial: UInt64) {
    let node = UInt64(truncatingIfNeeded: node)
    let loop = UInt64(truncatingIfNeeded: loop) & UInt64(Self.loops - 1)
    rawValue =
      (node & 0xF) << 60 | loop << Self.loopShift | (node >> 4 & 3) << Self.serialBits
      | serial & (1 << Self.serialBits - 1)
  }

  /// The number of the process that owns the connection.
  package var node: Int { Int(rawValue >> 60 | (rawValue >> Self.serialBits & 3) << 4) }

  /// The number of the loop that owns the connection.
  package var loop: Int { Int(rawValue >> Self.loopShift) & (Self.loops - 1) }

  /// How often the node's number had been taken before.
  package var boot: Int { Int(serial >> Self.countBits) }

  /// The connection's number on its loop, with the boot in front: 50 bits.
  package var serial: UInt64 { rawValue & (1 << Self.serialBits - 1) }

  /// The life of the process that owns the connection.
  package var life: NodeBoot { NodeBoot(node: node, boot: boot) }

  /// The number of its loop among the loops of all nodes.
  private var place: Int { node * Self.loops + loop }
}

extension ConnectionID: CustomStringConvertible {
  package var description: String { "conn_\(place)_\(serial)" }

  /// Parses the text of ``description``; nil for any other, even one that differs by a zero in front.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8.prefix(Self.textMax + 1))
    let parts = bytes.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard bytes.count <= Self.textMax, parts.count == 3, parts[0].elementsEqual("conn".utf8),
      let place = Self.number(parts[1]), place < UInt64(NodeBoot.nodes * Self.loops),
      let serial = Self.number(parts[2]), serial < 1 << Self.serialBits
    else { return nil }
    self.init(node: Int(place) / Self.loops, loop: Int(place) % Self.loops, serial: serial)
  }

  /// The length of the longest name.
  private static let textMax = "conn_16383_1125899906842623".utf8.count

  /// Returns the number that these decimal digits are the only text of; nil for anything else.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    // 18 digits are below 2^63.
    guard (1...18).contains(digits.count), digits.first != UInt8(ascii: "0") || digits.count == 1,
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return digits.reduce(0) { 10 * $0 + UInt64($1 - 0x30) }
  }
}

extension ConnectionID: Comparable {
  /// The order of lists: by node, loop and number.
  package static func < (lhs: ConnectionID, rhs: ConnectionID) -> Bool {
    (lhs.place, lhs.serial) < (rhs.place, rhs.serial)
  }
}

extension ConnectionID: Codable {
  package init(from decoder: any Decoder) throws {
    // JSON of the store has no integers beyond 64 bits with a sign.
    rawValue = UInt64(bitPattern: try decoder.singleValueContainer().decode(Int64.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Int64(bitPattern: rawValue))
  }
}
