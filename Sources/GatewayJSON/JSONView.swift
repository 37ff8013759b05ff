internal import CJansson

/// A value inside a ``JSONDocument``, looked at in place. Copies out only what is asked for; keeps its document alive.
package struct JSONView: Sendable {
  // A pointer into the document's tree, which nobody changes and which lives as long as `document` does.
  private nonisolated(unsafe) let pointer: UnsafeMutablePointer<json_t>
  private let document: JSONDocument

  init(document: JSONDocument, value: UnsafeMutablePointer<json_t>) {
    self.document = document
    self.pointer = value
  }

  /// Every look at the tree goes through here: ARC sees no use of the document in a C call on the pointer, and could let
  /// go of a temporary view's document before the call.
  private func read<T>(_ body: (UnsafeMutablePointer<json_t>) -> T) -> T {
    withExtendedLifetime(document) { body(pointer) }
  }

  private var type: json_type { read { $0.pointee.type } }

  /// The seven kinds of value; integers and reals are told apart by how they are written.
  package enum Kind: Hashable, Sendable {
    case object, array, string, integer, real, bool, null
  }

  package var kind: Kind {
    switch type {
    case JSON_OBJECT: .object
    case JSON_ARRAY: .array
    case JSON_STRING: .string
    case JSON_INTEGER: .integer
    case JSON_REAL: .real
    case JSON_TRUE, JSON_FALSE: .bool
    default: .null
    }
  }

  package var isObject: Bool { type == JSON_OBJECT }
  package var isNull: Bool { type == JSON_NULL }

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
    name.withMemoryRebound(to: CChar.self) { name in
      guard let start = name.baseAddress else { return nil }
      return read { json_object_getn($0, start, name.count) }.map { JSONView(document: document, value: $0) }
    }
  }

  /// The string; nil if this is none.
  package var string: String? {
    withUTF8 { String(decoding: $0, as: UTF8.self) }
  }

  /// What `body` makes of the string's bytes, without copying them; nil if this is no string.
  package func withUTF8<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T? {
    read { value in
      guard let start = json_string_value(value) else { return nil }
      let length = json_string_length(value)
      return start.withMemoryRebound(to: UInt8.self, capacity: length) {
        body(UnsafeBufferPointer(start: $0, count: length))
      }
    }
  }

  /// Whether this is that very string.
  package func equals(_ text: StaticString) -> Bool {
    withUTF8 { bytes in text.withUTF8Buffer { bytes.elementsEqual($0) } } ?? false
  }

  /// The number, integer or real; nil if this is none.
  package var number: Double? {
    switch type {
    case JSON_INTEGER: Double(read { json_integer_value($0) })
    case JSON_REAL: read { json_real_value($0) }
    default: nil
    }
  }

  /// The integer; nil if this is none, or is written with a fraction or exponent.
  package var integer: Int64? {
    type == JSON_INTEGER ? Int64(read { json_integer_value($0) }) : nil
  }

  package var bool: Bool? {
    switch type {
    case JSON_TRUE: true
    case JSON_FALSE: false
    default: nil
    }
  }

  /// How many elements or members there are; nil unless this is an array or object.
  package var count: Int? {
    switch type {
    case JSON_ARRAY: read { json_array_size($0) }
    case JSON_OBJECT: read { json_object_size($0) }
    default: nil
    }
  }

  /// The array's elements in order; nil if this is none.
  package var elements: [JSONView]? {
    guard type == JSON_ARRAY else { return nil }
    return read { array in
      (0..<json_array_size(array)).map { JSONView(document: document, value: json_array_get(array, $0)!) }
    }
  }

  /// The object's members as they stand in the text; nil if this is no object.
  package var members: [(name: String, value: JSONView)]? {
    guard type == JSON_OBJECT else { return nil }
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
    let flags = Int(JSON_COMPACT) | Int(JSON_ENCODE_ANY)
    return read { value in
      let size = json_dumpb(value, nil, 0, flags)
      return String(unsafeUninitializedCapacity: size) { buffer in
        buffer.withMemoryRebound(to: CChar.self) { json_dumpb(value, $0.baseAddress, size, flags) }
      }
    }
  }
}
