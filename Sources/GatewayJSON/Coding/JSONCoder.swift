/// A coder of Swift's `Codable` values as JSON, and back: a row of the SQLite store, or a storm's report, for instance.
///
/// What a peer sends is read with a ``JSONDocument`` and answered with a ``JSONWriter``; this is for what Postern itself
/// writes and reads again, and for orders whose shape is a type's.
package struct JSONCoder: Sendable {
  /// How members are called: `expireAfter` of a type as `expire_after`, for instance.
  package enum Names: Sendable {
    /// As the type's coding keys say.
    case asWritten
    /// With underscores in the text, without them in the type; the keys of dictionaries are left alone.
    case snakeCase
  }

  /// How the text is laid out: `{"a":1}` in one line, for instance.
  package enum Layout: Sendable {
    /// In one line, members as the value encodes them.
    case compact
    /// In one line, members by their names' bytes.
    case sorted
    /// A line for each value, two spaces a level, `"name" : value`, members by their names' bytes.
    case indented
  }

  private let names: Names
  private let layout: Layout

  package init(names: Names = .asWritten, layout: Layout = .compact) {
    self.names = names
    self.layout = layout
  }

  /// The value's JSON text.
  /// - Throws: `EncodingError` for a number that is not finite, and what the value itself throws.
  package func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONValueEncoder(snakeCase: names == .snakeCase, at: nil)
    var writer = JSONTreeWriter(layout: layout)
    writer.write(try encoder.tree(of: value))
    return writer.bytes
  }

  /// The value's JSON text, as a string.
  /// - Throws: What ``encode(_:)`` throws.
  package func text(_ value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }

  /// The value that a JSON text holds, of any kind at its top.
  /// - Throws: `DecodingError` with the place in the text's value, and what the type itself throws. The texts of errors
  ///   quote nothing of `bytes`.
  package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    let index: JSONIndex
    do { index = try JSONIndex(bytes) } catch {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(error)", underlyingError: error))
    }
    let source = JSONDecodingSource(index, snakeCase: names == .snakeCase)
    return try JSONValueDecoder(source, node: 0, at: nil).decode(type)
  }

  /// The value that a JSON text holds, as that of bytes is read.
  package func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try decode(type, from: Array(text.utf8))
  }
}
