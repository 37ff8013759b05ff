internal import CJansson

/// A value inside a ``JSONDocument``, read in place. It copies only what is asked for, and keeps its document alive.
package struct JSONView: Sendable {
  /// The place of the value: a node of the document's tree, which is never changed, or a member of a plain object. `root` is
  /// the plain object itself.
  private enum Place {
    case tree(UnsafeMutablePointer<json_t>)
    case member(Int)
    case root
  }

  // The pointer is only read, and is valid as long as the document lives.
  private nonisolated(unsafe) let place: Place
  private let document: JSONDocument

  init(document: JSONDocument, value: UnsafeMutablePointer<json_t>) {
    self.document = document
    place = .tree(value)
  }

  init(rootOfPlain document: JSONDocument) {
    self.document = document
    place = .root
  }

  private init(_ document: JSONDocument, member: Int) {
    self.document = document
    place = .member(member)
  }

  /// Reads the tree; every access to it uses this function. Returns nil if there is no tree.
  ///
  /// ARC sees no use of the document in a C call on the pointer, so it could release the document of a temporary view before
  /// the call.
  private func read<T>(_ body: (UnsafeMutablePointer<json_t>) -> T?) -> T? {
    guard case .tree(let pointer) = place else { return nil }
    return withExtendedLifetime(document) { body(pointer) }
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
    case .tree(let pointer):
      switch withExtendedLifetime(document, { pointer.pointee.type }) {
      case JSON_OBJECT: return .object
      case JSON_ARRAY: return .array
      case JSON_STRING: return .string
      case JSON_INTEGER: return .integer
      case JSON_REAL: return .real
      case JSON_TRUE, JSON_FALSE: return .bool
      default: return .null
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
        .map { JSONView(document, member: $0) }
    case .tree:
      name.withMemoryRebound(to: CChar.self) { name in
        guard let start = name.baseAddress else { return nil }
        return read { json_object_getn($0, start, name.count) }.map { JSONView(document: document, value: $0) }
      }
    }
  }

  /// The string; nil if this is none.
  package var string: String? {
    withUTF8 { String(decoding: $0, as: UTF8.self) }
  }

  /// Passes the string's bytes to `body`, without copying them, and returns its result; nil if this is no string.
  package func withUTF8<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T? {
    if case .member(let index) = place {
      return document.bytes.withUnsafeBytes { text in
        document.table.string(index, in: text).map {
          body(UnsafeRawBufferPointer(rebasing: text[$0]).assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    return read { value in
      guard let start = json_string_value(value) else { return nil }
      let length = json_string_length(value)
      return start.withMemoryRebound(to: UInt8.self, capacity: length) {
        body(UnsafeBufferPointer(start: $0, count: length))
      }
    }
  }

  /// Returns whether this is a string equal to `text`.
  package func equals(_ text: StaticString) -> Bool {
    withUTF8 { bytes in text.withUTF8Buffer { bytes.elementsEqual($0) } } ?? false
  }

  /// The number, integer or real; nil if this is none.
  package var number: Double? {
    if let integer { return Double(integer) }
    if case .member(let index) = place {
      return document.bytes.withUnsafeBytes { document.table.real(index, in: $0) }
    }
    return kind == .real ? read { json_real_value($0) } : nil
  }

  /// The integer; nil if this is none, or is written with a fraction or exponent.
  package var integer: Int64? {
    if case .member(let index) = place {
      return document.bytes.withUnsafeBytes { document.table.integer(index, in: $0) }
    }
    return kind == .integer ? read { Int64(json_integer_value($0)) } : nil
  }

  package var bool: Bool? {
    guard kind == .bool else { return nil }
    if case .member(let index) = place {
      return document.bytes[document.table.value(index).lowerBound] == UInt8(ascii: "t")
    }
    return read { $0.pointee.type == JSON_TRUE }
  }

  /// The number of elements or members; nil unless this is an array or object.
  package var count: Int? {
    switch kind {
    case .array: read { json_array_size($0) }
    case .object: read { json_object_size($0) } ?? document.table.count
    default: nil
    }
  }

  /// The array's elements in order; nil if this is none.
  package var elements: [JSONView]? {
    guard kind == .array else { return nil }
    return read { array in
      (0..<json_array_size(array)).map { JSONView(document: document, value: json_array_get(array, $0)!) }
    }
  }

  /// Returns the array's element at that index, from 0; nil if there is none.
  package func element(_ index: Int) -> JSONView? {
    guard kind == .array, index >= 0 else { return nil }
    return read { json_array_get($0, index) }.map { JSONView(document: document, value: $0) }
  }

  /// The object's members in the order of the text; nil if this is no object.
  package var members: [(name: String, value: JSONView)]? {
    guard kind == .object else { return nil }
    if case .root = place {
      return (0..<document.table.count).map { index in
        (String(decoding: document.bytes[document.table.name(index)], as: UTF8.self), JSONView(document, member: index))
      }
    }
    return read { object in
      var members: [(name: String, value: JSONView)] = []
      members.reserveCapacity(json_object_size(object))
      var iterator = json_object_iter(object)
      while let current = iterator {
        if let key = json_object_iter_key(current), let member = json_object_iter_value(current) {
          let length = json_object_iter_key_len(current)
          let name = key.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
          }
          members.append((name, JSONView(document: document, value: member)))
        }
        iterator = json_object_iter_next(object, current)
      }
      return members
    }
  }

  /// The value as JSON text: compact, members in their order, text as UTF-8.
  package var text: String {
    switch place {
    case .root:
      return "{\(members!.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ","))}"
    case .member(let index):
      if let integer { return String(integer) }
      // A real is written as jansson writes it.
      guard kind == .real, let value = json_real(number!) else {
        return String(decoding: document.bytes[document.table.value(index)], as: UTF8.self)
      }
      defer { json_decref(value) }
      return Self.text(of: value)
    case .tree(let pointer):
      return withExtendedLifetime(document) { Self.text(of: pointer) }
    }
  }

  private static func text(of value: UnsafeMutablePointer<json_t>) -> String {
    let flags = Int(JSON_COMPACT) | Int(JSON_ENCODE_ANY)
    let size = json_dumpb(value, nil, 0, flags)
    return String(unsafeUninitializedCapacity: size) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { json_dumpb(value, $0.baseAddress, size, flags) }
    }
  }
}
