internal import GatewayCore
internal import GatewayJSON

extension Fields<SendbirdWords> {
  /// Reads the meta arrays with that name: a list of objects with `key` and `value`, or a map with its order in
  /// `metaarray_key_order`. Of duplicate keys the first counts.
  func metaArrays(_ name: String) throws(SendbirdError) -> [SendbirdMessage.MetaArray]? {
    guard let written = value(name) else { return nil }
    guard written.text.utf8.count <= SendbirdLimits.metaArray else {
      throw .tooLong(name, max: SendbirdLimits.metaArray)
    }
    var arrays: [SendbirdMessage.MetaArray] = []
    if let members = written.members {
      let order = try strings(
        "metaarray_key_order", count: SendbirdLimits.metaArrays, max: SendbirdLimits.metadataKey)
      let places = (order ?? []).enumerated().reduce(into: [Name: Int]()) { $0[Name($1.element)] = $1.offset }
      for (key, value) in members { arrays.append(try Self.metaArray(name, key, value)) }
      arrays = arrays.enumerated().sorted { first, second in
        let (one, other) = (places[first.element.key] ?? .max, places[second.element.key] ?? .max)
        return one == other ? first.offset < second.offset : one < other
      }.map(\.element)
    } else {
      guard let elements = written.elements else { throw .notList(name) }
      for element in elements {
        guard let key = element["key"]?.string else { throw .notString("key") }
        arrays.append(try Self.metaArray(name, key, element["value"]))
      }
    }
    guard arrays.count <= SendbirdLimits.metaArrays else { throw .tooMany(name) }
    var seen: Set<Name> = []
    return arrays.filter { seen.insert($0.key).inserted }
  }

  private static func metaArray(
    _ name: String, _ key: String, _ value: JSONView?
  ) throws(SendbirdError) -> SendbirdMessage.MetaArray {
    guard key.unicodeScalars.count <= SendbirdLimits.metadataKey else {
      throw .tooLong(name, max: SendbirdLimits.metadataKey)
    }
    guard let value, !value.isNull else { return SendbirdMessage.MetaArray(Name(key), []) }
    guard let elements = value.elements else { throw .notList(name) }
    let values = elements.compactMap(\.string)
    guard values.count == elements.count else { throw .notString(name) }
    return SendbirdMessage.MetaArray(Name(key), values)
  }
}
