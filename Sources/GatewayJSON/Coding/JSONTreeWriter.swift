/// A writer of a tree as text, in one of the layouts.
struct JSONTreeWriter {
  private var writer = JSONWriter()
  private let layout: JSONCoder.Layout

  init(layout: JSONCoder.Layout) {
    self.layout = layout
  }

  var bytes: [UInt8] { writer.bytes }

  mutating func write(_ tree: JSONTree, level: Int = 0) {
    switch tree {
    case .literal(let text): writer.raw(text)
    case .string(let text): writer.string(text)
    case .later(let encoder): write(encoder.tree, level: level)
    case .array(let elements):
      writer.beginArray()
      for value in elements.values {
        breakLine(level + 1)
        write(value, level: level + 1)
      }
      if !elements.values.isEmpty { breakLine(level, isEnd: true) }
      writer.endArray()
    case .object(let object):
      writer.beginObject()
      let members = layout == .compact ? object.values : object.values.sorted { Self.precedes($0.name, $1.name) }
      for member in members {
        breakLine(level + 1)
        layout == .indented ? writer.spacedName(member.name) : writer.name(member.name)
        write(member.value, level: level + 1)
      }
      if !members.isEmpty { breakLine(level, isEnd: true) }
      writer.endObject()
    }
  }

  private mutating func breakLine(_ level: Int, isEnd: Bool = false) {
    if layout == .indented { writer.breakLine(indent: 2 * level, isEnd: isEnd) }
  }

  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}
