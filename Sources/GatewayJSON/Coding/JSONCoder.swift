/// A coder of Swift's `Codable` values as JSON, and back, e.g. a row of the SQLite store or a storm's report.
///
/// It is for what Postern itself writes and reads again, and for orders whose structure is a type's. A peer's messages are read
/// with a ``JSONDocument`` and answered with a ``JSONWriter``.
package struct JSONCoder: Sendable {
  /// The form of members' names in the text.
  package enum Names: Sendable {
    /// The names of the type's coding keys.
    case asWritten
    /// With underscores in the text, without them in the type; the keys of dictionaries are unchanged.
    case snakeCase
  }

  /// The layout of the text.
  package enum Layout: Sendable {
    /// One line, with members in the order of the value's encoding.
    case compact
    /// One line, with members sorted by their names' bytes.
    case sorted
    /// One line for each value, two spaces a level, `"name" : value`, with members sorted by their names' bytes.
    case indented
  }

  private let names: Names
  private let layout: Layout

  package init(names: Names = .asWritten, layout: Layout = .compact) {
    self.names = names
    self.layout = layout
  }

  /// Returns the value's JSON text.
  /// - Throws: `EncodingError` for a number that is not finite, and the errors of the value itself.
  package func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONValueEncoder(snakeCase: names == .snakeCase, at: nil)
    var writer = JSONTreeWriter(layout: layout)
    writer.write(try encoder.tree(of: value))
    return writer.bytes
  }

  /// Returns the value's JSON text, as a string.
  /// - Throws: The errors of ``encode(_:)``.
  package func text(_ value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }

  /// Returns the value of a JSON text, of any kind at its top.
  /// - Throws: `DecodingError` with the place in the text's value, and the errors of the type itself. The texts of errors quote
  ///   nothing of `bytes`.
  package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    let index: JSONIndex
    do { index = try JSONIndex(bytes) } catch {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(error)", underlyingError: error))
    }
    let source = JSONDecodingSource(index, snakeCase: names == .snakeCase)
    return try JSONValueDecoder(source, node: 0, at: nil).decode(type)
  }

  /// Returns the value of a JSON text, as from its bytes.
  package func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try decode(type, from: Array(text.utf8))
  }
}
