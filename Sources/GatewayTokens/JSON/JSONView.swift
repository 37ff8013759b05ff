/// A value inside a ``JSONDocument``, looked at in place. Copies out only what is asked for; keeps its document alive.
package struct JSONView: Sendable {
  private let document: JSONDocument
  private let index: Int

  init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  private var node: JSONNode { document.nodes[index] }

  /// The seven kinds of value; integers and reals are told apart by how they are written.
  package enum Kind: Hashable, Sendable {
    case object, array, string, integer, real, bool, null
  }

  package var kind: Kind {
    switch node.kind {
    case .object: .object
    case .array: .array
    case .string: .string
    case .integer: .integer
    case .real: .real
    case .yes, .no: .bool
    case .null: .null
    }
  }

  package var isObject: Bool { node.kind == .object }
  package var isNull: Bool { node.kind == .null }

  /// The bytes of a node as they are written.
  private func withWritten<T>(_ node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    document.bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[node.range])) }
  }

  /// The text of a string's node.
  private func withText<T>(_ node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    guard node.hasEscapes else { return withWritten(node, body) }
    return withWritten(node, JSONText.unescape).withUnsafeBufferPointer(body)
  }

  // MARK: - Members and elements

  /// The object's member of that name; nil if there is none, or this is no object. JSON's null is a value.
  package subscript(_ name: StaticString) -> JSONView? {
    name.withUTF8Buffer { member($0) }
  }

  /// The object's member of that name; nil if there is none, or this is no object.
  package subscript(member name: String) -> JSONView? {
    var name = name
    return name.withUTF8 { member($0) }
  }

  private func member(_ name: UnsafeBufferPointer<UInt8>) -> JSONView? {
    let object = node
    guard object.kind == .object else { return nil }
    var next = index + 1
    for _ in 0..<object.count {
      let candidate = document.nodes[next]
      // Escapes only make a name longer.
      if candidate.range.count == name.count || candidate.hasEscapes,
        withText(candidate, { $0.count == name.count && $0.elementsEqual(name) })
      {
        return JSONView(document: document, index: next + 1)
      }
      next = Int(document.nodes[next + 1].next)
    }
    return nil
  }

  /// How many elements or members there are; nil unless this is an array or object.
  package var count: Int? {
    let node = node
    return node.kind == .object || node.kind == .array ? Int(node.count) : nil
  }

  /// The array's elements in order; nil if this is none.
  package var elements: [JSONView]? {
    let array = node
    guard array.kind == .array else { return nil }
    var elements: [JSONView] = []
    elements.reserveCapacity(Int(array.count))
    var next = index + 1
    for _ in 0..<array.count {
      elements.append(JSONView(document: document, index: next))
      next = Int(document.nodes[next].next)
    }
    return elements
  }

  /// The object's members as they stand in the text; nil if this is no object.
  package var members: [(name: String, value: JSONView)]? {
    let object = node
    guard object.kind == .object else { return nil }
    var members: [(name: String, value: JSONView)] = []
    members.reserveCapacity(Int(object.count))
    var next = index + 1
    for _ in 0..<object.count {
      let name = withText(document.nodes[next]) { String(decoding: $0, as: UTF8.self) }
      members.append((name, JSONView(document: document, index: next + 1)))
      next = Int(document.nodes[next + 1].next)
    }
    return members
  }

  // MARK: - Values

  /// The string; nil if this is none.
  package var string: String? {
    withUTF8 { String(decoding: $0, as: UTF8.self) }
  }

  /// What `body` makes of the string's text, copied only if it has escapes; nil if this is no string.
  package func withUTF8<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T? {
    let node = node
    return node.kind == .string ? withText(node, body) : nil
  }

  /// Whether this is that very string.
  package func equals(_ text: StaticString) -> Bool {
    withUTF8 { bytes in text.withUTF8Buffer { bytes.elementsEqual($0) } } ?? false
  }

  /// The number, integer or real; nil if this is none.
  package var number: Double? {
    let node = node
    return switch node.kind {
    case .integer: withWritten(node, JSONText.integer).map { Double($0) }
    case .real: withWritten(node, JSONText.real)
    default: nil
    }
  }

  /// The integer; nil if this is none, or is written with a fraction or exponent.
  package var integer: Int64? {
    let node = node
    return node.kind == .integer ? withWritten(node, JSONText.integer) : nil
  }

  package var bool: Bool? {
    switch node.kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  /// The value's JSON as it was written.
  package var text: String {
    let node = node
    let quotes = node.kind == .string ? 1 : 0
    return document.bytes.withUnsafeBufferPointer {
      String(decoding: $0[(node.range.lowerBound - quotes)..<(node.range.upperBound + quotes)], as: UTF8.self)
    }
  }
}
