/// A parsed text with the way its members are called: what all the decoders of one text share, `series` and those within
/// it for instance.
final class JSONDecodingSource: Sendable {
  let index: JSONIndex
  let snakeCase: Bool

  init(_ index: JSONIndex, snakeCase: Bool) {
    self.index = index
    self.snakeCase = snakeCase
  }

  /// The members of the object at `node`: what each is called, and where its value is.
  /// - Parameter plainly: Names stand as they are in the text.
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

  /// Where the value of the object's member of that name is; nil if there is none.
  func member(_ wanted: String, of node: Int) -> Int? {
    var name = node + 1
    for _ in 0..<index.nodes[node].count {
      if index.isString(name, wanted.utf8) { return name + 1 }
      name = index.nodes[name + 1].next
    }
    return nil
  }

  /// Whether members can be looked for in the text itself: there are few, and they are called as they are in it.
  func isShort(_ node: Int, plainly: Bool) -> Bool {
    index.nodes[node].count <= 16 && (plainly || !snakeCase)
  }

  /// What stands there, as a part of a sentence.
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
