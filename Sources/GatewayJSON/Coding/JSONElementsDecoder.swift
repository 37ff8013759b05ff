/// A decoder of the elements of an array, one after the other.
struct JSONElementsDecoder: UnkeyedDecodingContainer {
  private let source: JSONDecodingSource
  private let path: JSONCodingPath?
  private let number: Int
  private var node: Int
  private(set) var currentIndex = 0

  init(_ decoder: JSONValueDecoder) throws {
    source = decoder.source
    path = decoder.path
    let array = source.index.nodes[decoder.node]
    guard array.kind == .array else { try decoder.mismatch([Any].self, "an array") }
    number = array.count
    node = decoder.node + 1
  }

  var codingPath: [any CodingKey] { path?.keys ?? [] }
  var count: Int? { number }
  var isAtEnd: Bool { currentIndex >= number }

  private var here: JSONCodingPath { JSONCodingPath(JSONPlainKey(intValue: currentIndex), in: path) }

  /// Returns a decoder of the next element.
  private func decoder<Value>(_ type: Value.Type) throws -> JSONValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: here.keys, debugDescription: "there are only \(number) elements"))
    }
    return JSONValueDecoder(source, node: node, at: here)
  }

  private mutating func pass() {
    node = source.index.nodes[node].next
    currentIndex += 1
  }

  mutating func decodeNil() throws -> Bool {
    guard try decoder(Never?.self).decodeNil() else { return false }
    pass()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try decoder(type).decode(type)
    pass()
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try decoder([String: Any].self).container(keyedBy: type)
    pass()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try decoder([Any].self).unkeyedContainer()
    pass()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try decoder((any Decoder).self)
    pass()
    return decoder
  }
}
