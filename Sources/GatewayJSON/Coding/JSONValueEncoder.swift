/// An encoder of one value.
final class JSONValueEncoder: Encoder, SingleValueEncodingContainer {
  let snakeCase: Bool
  let path: JSONCodingPath?
  /// Whether the names of its members are freely chosen.
  private let isDictionary: Bool
  private var written: JSONTree?

  init(snakeCase: Bool, at path: JSONCodingPath?, isDictionary: Bool = false) {
    self.snakeCase = snakeCase
    self.path = path
    self.isDictionary = isDictionary
  }

  var codingPath: [any CodingKey] { path?.keys ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The encoded content; a value that encodes nothing is an empty object.
  var tree: JSONTree { written ?? .object(JSONTreeMembers()) }

  /// Returns the encoded content of the value.
  func tree<Value: Encodable>(of value: Value) throws -> JSONTree {
    let encoder = JSONValueEncoder(
      snakeCase: snakeCase, at: path, isDictionary: snakeCase && Value.self is any JSONNamedValues.Type)
    try value.encode(to: encoder)
    return encoder.tree
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let members: JSONTreeMembers
    if case .object(let begun) = written {
      members = begun
      members.mayRepeat = true
    } else {
      members = JSONTreeMembers()
    }
    written = .object(members)
    return KeyedEncodingContainer(
      JSONMembersEncoder<Key>(members, snakeCase: snakeCase && !isDictionary, below: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    let elements: JSONTreeElements
    if case .array(let begun) = written { elements = begun } else { elements = JSONTreeElements() }
    written = .array(elements)
    return JSONElementsEncoder(elements, below: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Writes a text that is JSON.
  func encode(fragment text: String) { written = .literal(text) }

  func encodeNil() { written = .literal("null") }
  func encode(_ value: Bool) { written = JSONTree(value) }
  func encode(_ value: String) { written = .string(value) }
  func encode(_ value: Double) throws { written = try JSONTree(value, at: path) }
  func encode(_ value: Float) throws { try encode(Double(value)) }
  func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) { written = .literal(String(value)) }
  func encode<Value: Encodable>(_ value: Value) throws { written = try tree(of: value) }
}
