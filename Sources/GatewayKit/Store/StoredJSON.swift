internal import GatewayJSON

/// The JSON of a row's value, as engines outside of this process's memory keep it.
package enum StoredJSON {
  private static let coder = JSONCoder()

  package static func encode(_ value: some StoreValue) throws(StoreError) -> [UInt8] {
    do { return try coder.encode(value) } catch {
      throw .unavailable("\(type(of: value)) cannot be written: \(error)")
    }
  }

  /// - Throws: An error that ``reason(_:)`` words.
  package static func decode<Value: StoreValue>(_ bytes: [UInt8], as type: Value.Type) throws -> any StoreValue {
    try coder.decode(type, from: bytes)
  }

  /// Returns what is wrong with a row, without the row's content.
  package static func reason(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "the row" : "'\(path.map(\.stringValue).joined(separator: "."))'"
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\(place(context.codingPath)) is of another kind than it should be"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\(place(context.codingPath)) has a value that cannot be"
    default: "it is not the JSON object that it should be"
    }
  }
}
