/// An encoder of the elements of an array, one after the other.
struct JSONElementsEncoder: UnkeyedEncodingContainer {
  private let elements: JSONTreeElements
  private let encoder: JSONValueEncoder

  init(_ elements: JSONTreeElements, below encoder: JSONValueEncoder) {
    self.elements = elements
    self.encoder = encoder
  }

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { elements.values.count }

  /// An encoder of the next element.
  private var child: JSONValueEncoder {
    JSONValueEncoder(snakeCase: encoder.snakeCase, at: JSONCodingPath(JSONPlainKey(intValue: count), in: encoder.path))
  }

  private func laterChild() -> JSONValueEncoder {
    let child = child
    elements.values.append(.later(child))
    return child
  }

  func encodeNil() { elements.values.append(.literal("null")) }
  func encode<Value: Encodable>(_ value: Value) throws { elements.values.append(try child.tree(of: value)) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    laterChild().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { laterChild().unkeyedContainer() }

  func superEncoder() -> any Encoder { laterChild() }
}
