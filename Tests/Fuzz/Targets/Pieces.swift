import GatewayCore

/// The ways in which an input arrives: in one piece, or cut into pieces of 1 to 7 bytes. The same input is cut at the same
/// places each time.
enum Pieces {
  static func whole(_ bytes: [UInt8]) -> [Range<Int>] { [0..<bytes.count] }

  static func cut(_ bytes: [UInt8]) -> [Range<Int>] {
    var generator = SeededGenerator(seed: bytes.reduce(UInt64(bytes.count)) { $0 &* 31 &+ UInt64($1) })
    guard !bytes.isEmpty else { return whole(bytes) }
    var pieces: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + 1 + Int(generator.next() % 7))
      pieces.append(start..<end)
      start = end
    }
    return pieces
  }
}
