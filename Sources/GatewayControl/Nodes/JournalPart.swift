internal import GatewayCore
internal import GatewayJSON

/// A page of one node's journal, read from its answer, and such pages as one.
struct JournalPart: Sendable {
  /// A line as JSON with its node, and the place behind it.
  struct Line: Sendable {
    let text: [UInt8]
    var position = JournalPosition()
  }

  private let life: NodeBoot
  private let lines: [(number: UInt64, time: [UInt8], text: [UInt8])]
  /// The number behind which its next page begins.
  private let next: UInt64
  let last: UInt64
  let missed: UInt64

  private static let bytesMax = 64 << 20

  /// Reads the answer of a node to `GET /journal`, asked for lines behind `after`. Nil if it is anything else.
  init?(_ body: [UInt8], of life: NodeBoot, named name: String, after: UInt64) {
    guard let root = try? JSONDocument.parse(body, sizeMax: Self.bytesMax).root, let elements = root["lines"]?.elements,
      let next = Self.number(root["next"]), let last = Self.number(root["last"]),
      let missed = Self.number(root["missed"])
    else { return nil }
    var writer = JSONWriter()
    writer.string(name)
    let ending = Array(#","node":"#.utf8) + writer.bytes + [UInt8(ascii: "}")]
    var lines: [(number: UInt64, time: [UInt8], text: [UInt8])] = []
    var before = after
    for element in elements {
      guard element.isObject, let number = Self.number(element["n"]), number > before,
        let time = element["time"]?.string
      else { return nil }
      before = number
      lines.append((number, Array(time.utf8), Array(body[element.range].dropLast()) + ending))
    }
    guard next >= before else { return nil }
    (self.life, self.lines, self.next, self.last, self.missed) = (life, lines, next, last, missed)
  }

  private static func number(_ value: JSONView?) -> UInt64? { value?.integer.flatMap { UInt64(exactly: $0) } }

  /// Whether the node had no more lines.
  private var isWhole: Bool { next >= last }

  /// Returns the lines of all parts in the order of their times, at most `limit`, and the place behind them. Lines of one part
  /// stay in their order, and those of one time are in the order of the nodes, so that every node gives the same.
  static func merged(
    _ unsorted: [JournalPart], after: JournalPosition, limit: Int
  ) -> (lines: [Line], next: JournalPosition) {
    let parts = unsorted.sorted { ($0.life.node, $0.life.boot) < ($1.life.node, $1.life.boot) }
    var heads = [Int](repeating: 0, count: parts.count)
    var lines: [Line] = []
    var position = after
    while lines.count < limit {
      var first: Int?
      var mayLack = false
      for (index, part) in parts.enumerated() {
        guard heads[index] < part.lines.count else {
          // Its next line, which is not here, may be the next of all.
          mayLack = mayLack || !part.isWhole
          continue
        }
        if let found = first,
          !part.lines[heads[index]].time.lexicographicallyPrecedes(parts[found].lines[heads[found]].time)
        {
          continue
        }
        first = index
      }
      guard let first, !mayLack else { break }
      let line = parts[first].lines[heads[first]]
      heads[first] += 1
      position[parts[first].life] = line.number
      lines.append(Line(text: line.text, position: position))
    }
    for (index, part) in parts.enumerated() where heads[index] == part.lines.count { position[part.life] = part.next }
    return (lines, position)
  }
}
