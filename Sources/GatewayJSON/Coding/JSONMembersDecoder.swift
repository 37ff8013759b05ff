/// A decoder of the members of an object, by the keys of a type.
struct JSONMembersDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let source: JSONDecodingSource
  private let node: Int
  private let path: JSONCodingPath?
  private let plainly: Bool
  /// The node of each value, by the bytes of its name; nil for few members, which are searched in the text. Of two members of
  /// one name the first counts.
  private let places: [[UInt8]: Int]?

  /// Creates a decoder of the object of `decoder`.
  /// - Parameters:
  ///   - decoder: The decoder of the object.
  ///   - plainly: Whether members have the same names as in the text.
  init(_ decoder: JSONValueDecoder, plainly: Bool) throws {
    source = decoder.source
    node = decoder.node
    path = decoder.path
    self.plainly = plainly
    guard source.index.nodes[node].kind == .object else { try decoder.mismatch([String: Any].self, "an object") }
    places =
      source.isShort(node, plainly: plainly)
      ? nil
      : Dictionary(
        source.members(node, plainly: plainly).map { (Array($0.name.utf8), $0.value) },
        uniquingKeysWith: { first, _ in first })
  }

  var codingPath: [any CodingKey] { path?.keys ?? [] }

  var allKeys: [Key] {
    source.members(node, plainly: plainly).compactMap { Key(stringValue: $0.name) }
  }

  private func find(_ key: some CodingKey) -> Int? {
    if let places { return places[Array(key.stringValue.utf8)] }
    return source.member(key.stringValue, of: node)
  }

  private func value(_ key: some CodingKey) throws -> Int {
    if let node = find(key) { return node }
    throw DecodingError.keyNotFound(
      key, .init(codingPath: codingPath, debugDescription: "there is no \"\(key.stringValue)\""))
  }

  private func decoder(_ key: some CodingKey) throws -> JSONValueDecoder {
    JSONValueDecoder(source, node: try value(key), at: JSONCodingPath(key, in: path))
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { source.index.nodes[try value(key)].kind == .null }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    switch source.index.nodes[try value(key)].kind {
    case .yes: true
    case .no: false
    default: try decoder(key).decode(type)
    }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let node = try value(key)
    return switch source.index.nodes[node].kind {
    case .string, .escapedString: source.index.string(node)
    default: try decoder(key).decode(type)
    }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try source.index.number(try value(key)) ?? decoder(key).decode(type)
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }

  /// Decodes a whole number of any of the standard library's types.
  func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type, forKey key: Key) throws -> Number {
    try source.index.integer(try value(key), as: type) ?? decoder(key).decode(type)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoder(key).decode(type) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder(JSONPlainKey.parent) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}
