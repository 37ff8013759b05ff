/// A parsed text and the form of its members' names, which all decoders of the text share.
final class JSONDecodingSource: Sendable {
  let index: JSONIndex
  let snakeCase: Bool

  init(_ index: JSONIndex, snakeCase: Bool) {
    self.index = index
    self.snakeCase = snakeCase
  }

  /// Returns the members of the object at `node`: the name of each, and the node of its value.
  /// - Parameters:
  ///   - node: The node of the object.
  ///   - plainly: Whether the names stay as they are in the text.
  func members(_ node: Int, plainly: Bool) -> [(name: String, value: Int)] {
    var members: [(name: String, value: Int)] = []
    members.reserveCapacity(index.nodes[node].count)
    var name = node + 1
    for _ in 0..<index.nodes[node].count {
      let text = index.string(name)
      members.append((snakeCase && !plainly ? SnakeCase.camel(text) : text, name + 1))
      name = index.nodes[name + 1].next
    }
    return members
  }

  /// Returns the node of the value of the object's member of that name; nil if there is none.
  func member(_ wanted: String, of node: Int) -> Int? {
    var wanted = wanted
    return wanted.withUTF8 { index.member(named: $0, of: node) }
  }

  /// Returns whether members can be searched in the text itself: they are few, and have the same names in it.
  func isShort(_ node: Int, plainly: Bool) -> Bool {
    index.nodes[node].count <= 16 && (plainly || !snakeCase)
  }

  /// Returns the kind of value at `node`, as a part of a sentence.
  func noun(_ node: Int) -> String {
    switch index.nodes[node].kind {
    case .object: "an object"
    case .array: "an array"
    case .string, .escapedString: "text"
    case .integer, .real: "a number"
    case .yes, .no: "a boolean"
    case .null: "null"
    }
  }
}
