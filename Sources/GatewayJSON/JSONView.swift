/// A value inside a ``JSONDocument``, read in place. It copies only what is asked for, and keeps its document alive.
package struct JSONView: Sendable {
  /// The place of the value: a node of the document's index, or a member of a plain object. `root` is the plain object itself.
  private enum Place {
    case node(Int)
    case member(Int)
    case root
  }

  private let place: Place
  private let document: JSONDocument

  init(rootOf document: JSONDocument) {
    self.init(document, document.index == nil ? .root : .node(0))
  }

  private init(_ document: JSONDocument, _ place: Place) {
    self.document = document
    self.place = place
  }

  /// The index and the value's node in it; nil for a plain object and its members.
  private var indexed: (index: JSONIndex, node: Int)? {
    guard case .node(let node) = place, let index = document.index else { return nil }
    return (index, node)
  }

  /// The seven kinds of value. A number's notation decides whether it is an integer or a real.
  package enum Kind: Hashable, Sendable {
    case object, array, string, integer, real, bool, null
  }

  package var kind: Kind {
    switch place {
    case .root: return .object
    case .member(let index):
      switch document.bytes.withUnsafeBytes({ document.table.kind(index, in: $0) }) {
      case .string: return .string
      case .integer: return .integer
      case .real: return .real
      case .bool: return .bool
      case .null: return .null
      }
    case .node(let node):
      switch document.index?.nodes[node].kind {
      case .object: return .object
      case .array: return .array
      case .string, .escapedString: return .string
      case .integer: return .integer
      case .real: return .real
      case .yes, .no: return .bool
      case .null, nil: return .null
      }
    }
  }

  package var isObject: Bool { kind == .object }
  package var isNull: Bool { kind == .null }

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
    switch place {
    case .member: nil
    case .root:
      document.bytes.withUnsafeBytes { document.table.find(UnsafeRawBufferPointer(name), in: $0) }
        .map { JSONView(document, .member($0)) }
    case .node(let node):
      kind == .object
        ? document.index?.member(named: name, of: node).map { JSONView(document, .node($0)) } : nil
    }
  }

  /// The string; nil if this is none.
  package var string: String? {
    withUTF8 { String(decoding: $0, as: UTF8.self) }
  }

  /// Passes the string's bytes to `body` and returns its result; nil if this is no string. Only a string with escapes is copied.
  package func withUTF8<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T? {
    switch place {
    case .root: nil
    case .member(let index):
      document.bytes.withUnsafeBytes { text in
        document.table.string(index, in: text).map {
          body(UnsafeRawBufferPointer(rebasing: text[$0]).assumingMemoryBound(to: UInt8.self))
        }
      }
    case .node(let node): kind == .string ? document.index?.withUTF8(node, body) : nil
    }
  }

  /// Returns whether this is a string equal to `text`.
  package func equals(_ text: StaticString) -> Bool {
    withUTF8 { bytes in text.withUTF8Buffer { bytes.elementsEqual($0) } } ?? false
  }

  /// The number, integer or real; nil if this is none.
  package var number: Double? {
    switch place {
    case .root: nil
    case .member(let index):
      document.bytes.withUnsafeBytes { text in
        document.table.integer(index, in: text).map { Double($0) } ?? document.table.real(index, in: text)
      }
    case .node(let node): document.index?.number(node)
    }
  }

  /// The integer; nil if this is none, or is written with a fraction or exponent.
  package var integer: Int64? {
    switch place {
    case .root: nil
    case .member(let index): document.bytes.withUnsafeBytes { document.table.integer(index, in: $0) }
    case .node(let node): kind == .integer ? document.index?.integer(node, as: Int64.self) : nil
    }
  }

  package var bool: Bool? {
    switch place {
    case .root: return nil
    case .member(let index):
      guard kind == .bool else { return nil }
      return document.bytes[document.table.value(index).lowerBound] == UInt8(ascii: "t")
    case .node(let node):
      switch document.index?.nodes[node].kind {
      case .yes: return true
      case .no: return false
      default: return nil
      }
    }
  }

  /// The number of elements or members; nil unless this is an array or object.
  package var count: Int? {
    guard kind == .array || kind == .object else { return nil }
    return indexed.map { $0.index.nodes[$0.node].count } ?? document.table.count
  }

  /// The array's elements in order; nil if this is none.
  package var elements: [JSONView]? {
    guard kind == .array, let (index, node) = indexed else { return nil }
    var (elements, next): ([JSONView], Int) = ([], node + 1)
    elements.reserveCapacity(index.nodes[node].count)
    for _ in 0..<index.nodes[node].count {
      elements.append(JSONView(document, .node(next)))
      next = index.nodes[next].next
    }
    return elements
  }

  /// Returns the array's element at that index, from 0; nil if there is none. It steps over the elements before it.
  package func element(_ position: Int) -> JSONView? {
    guard kind == .array, let (index, node) = indexed, position >= 0, position < index.nodes[node].count
    else { return nil }
    var next = node + 1
    for _ in 0..<position { next = index.nodes[next].next }
    return JSONView(document, .node(next))
  }

  /// The object's members in the order of the text; nil if this is no object.
  package var members: [(name: String, value: JSONView)]? {
    guard kind == .object else { return nil }
    guard let (index, node) = indexed else {
      return (0..<document.table.count).map { index in
        let name = document.bytes[document.table.name(index)]
        return (String(decoding: name, as: UTF8.self), JSONView(document, .member(index)))
      }
    }
    var (members, name): ([(name: String, value: JSONView)], Int) = ([], node + 1)
    members.reserveCapacity(index.nodes[node].count)
    for _ in 0..<index.nodes[node].count {
      members.append((index.string(name), JSONView(document, .node(name + 1))))
      name = index.nodes[name + 1].next
    }
    return members
  }

  /// The place of the value in its text, a string with its quotes.
  package var range: Range<Int> {
    switch place {
    case .root: return 0..<document.bytes.count
    case .member(let index): return document.table.value(index)
    case .node(let node):
      guard let found = document.index?.nodes[node] else { return 0..<0 }
      let quote = kind == .string ? 1 : 0
      return found.start - quote..<found.end + quote
    }
  }

  /// The value as JSON text: compact, members in their order, text as UTF-8, reals with a point or an exponent.
  package var text: String {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.text
  }

  private func write(to writer: inout JSONWriter) {
    switch kind {
    case .object:
      writer.beginObject()
      for (name, value) in members ?? [] {
        writer.name(name)
        value.write(to: &writer)
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      for value in elements ?? [] { value.write(to: &writer) }
      writer.endArray()
    case .string: writer.string(string ?? "")
    case .integer: writer.integer(integer ?? 0)
    case .real: writer.raw("\(number ?? 0)")
    case .bool: writer.bool(bool ?? false)
    case .null: writer.null()
    }
  }
}
