/// An encoder of the members of an object, by the keys of a type.
struct JSONMembersEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let members: JSONTreeMembers
  private let snakeCase: Bool
  private let encoder: JSONValueEncoder

  init(_ members: JSONTreeMembers, snakeCase: Bool, below encoder: JSONValueEncoder) {
    self.members = members
    self.snakeCase = snakeCase
    self.encoder = encoder
  }

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func add(_ key: some CodingKey, _ value: JSONTree) {
    members.add(snakeCase ? SnakeCase.snake(key.stringValue) : key.stringValue, value)
  }

  /// Returns an encoder of the key's value.
  private func child(_ key: some CodingKey) -> JSONValueEncoder {
    JSONValueEncoder(snakeCase: encoder.snakeCase, at: JSONCodingPath(key, in: encoder.path))
  }

  /// Adds an encoder whose later content becomes the key's value.
  private func laterChild(_ key: some CodingKey) -> JSONValueEncoder {
    let child = child(key)
    add(key, .later(child))
    return child
  }

  func encodeNil(forKey key: Key) { add(key, .literal("null")) }
  func encode(_ value: Bool, forKey key: Key) { add(key, JSONTree(value)) }
  func encode(_ value: String, forKey key: Key) { add(key, .string(value)) }
  func encode(_ value: Double, forKey key: Key) throws { add(key, try JSONTree(value, at: encoder.path, key)) }
  func encode(_ value: Float, forKey key: Key) throws { try encode(Double(value), forKey: key) }
  func encode<Number: FixedWidthInteger & Encodable>(_ value: Number, forKey key: Key) {
    add(key, .literal(String(value)))
  }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { add(key, try child(key).tree(of: value)) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    laterChild(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { laterChild(key).unkeyedContainer() }

  func superEncoder() -> any Encoder { laterChild(JSONPlainKey.parent) }

  func superEncoder(forKey key: Key) -> any Encoder { laterChild(key) }
}
