/// A decoder of one value of a JSON text.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let source: JSONDecodingSource
  let node: Int
  let path: JSONCodingPath?
  /// Whether the names of its members are freely chosen.
  private let isDictionary: Bool

  init(_ source: JSONDecodingSource, node: Int, at path: JSONCodingPath?, isDictionary: Bool = false) {
    self.source = source
    self.node = node
    self.path = path
    self.isDictionary = isDictionary
  }

  var codingPath: [any CodingKey] { path?.keys ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try JSONMembersDecoder<Key>(self, plainly: isDictionary))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try JSONElementsDecoder(self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// Throws an error for a value of another kind.
  /// - Throws: Always, because there is something other than `expected`.
  func mismatch<Value>(_ type: Value.Type, _ expected: String) throws -> Never {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "expected \(expected), not \(source.noun(node))")
    throw decodeNil() ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
  }

  /// The text of the value in the source.
  var text: String {
    let value = source.index.nodes[node]
    let isQuoted = value.kind == .string || value.kind == .escapedString
    let bytes = isQuoted ? value.start - 1..<value.end + 1 : value.start..<value.end
    return String(decoding: source.index.bytes[bytes], as: UTF8.self)
  }

  func decodeNil() -> Bool { source.index.nodes[node].kind == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch source.index.nodes[node].kind {
    case .yes: true
    case .no: false
    default: try mismatch(type, "true or false")
    }
  }

  func decode(_ type: String.Type) throws -> String {
    switch source.index.nodes[node].kind {
    case .string, .escapedString: source.index.string(node)
    default: try mismatch(type, "text")
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    if let number = source.index.number(node) { return number }
    try wrongNumber(type, "a number")
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  /// Decodes a whole number of any of the standard library's types.
  func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
    if let number = source.index.integer(node, as: type) { return number }
    try wrongNumber(type, "a whole number")
  }

  /// Throws an error for a value that is no number, or no such number.
  /// - Throws: Always.
  private func wrongNumber<Value>(_ type: Value.Type, _ expected: String) throws -> Never {
    switch source.index.nodes[node].kind {
    case .integer, .real:
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "expected \(expected) that \(type) can hold"))
    default: try mismatch(type, expected)
    }
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard source.snakeCase, type is any JSONNamedValues.Type else { return try Value(from: self) }
    return try Value(from: JSONValueDecoder(source, node: node, at: path, isDictionary: true))
  }
}
