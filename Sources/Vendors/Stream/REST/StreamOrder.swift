internal import GatewayCore
internal import GatewayJSON

/// The `sort` of a query: fields with directions.
struct StreamOrder: Sendable {
  private var fields: [(name: Name, isDescending: Bool)]

  /// Reads the order. Its fields must be among `known`, unless that is nil; `usual` if none is given.
  init(
    _ body: StreamBody, by known: Set<Name>?, usual: [(name: Name, isDescending: Bool)] = []
  ) throws(StreamError) {
    fields = []
    for view in try body.array("sort", count: 10) ?? [] {
      let parameter = try StreamBody(view, inside: "sort")
      let name = Name(try parameter.requiredString("field"))
      guard known?.contains(name) ?? true else {
        throw .input("there is no field \(name.text.prefix(64)) to sort by", field: "sort")
      }
      let direction = try parameter.integer("direction") ?? 1
      guard direction == 1 || direction == -1 else { throw parameter.wrong("direction", "1 or -1") }
      fields.append((name, direction == -1))
    }
    if fields.isEmpty { fields = usual }
  }

  /// Whether no field is given.
  var isEmpty: Bool { fields.isEmpty }

  /// Returns whether `one` precedes `two`, given each one's values; nil if they are equal in all fields. A missing
  /// value sorts last in both directions.
  func precedes(_ one: (Name) -> StreamFilterValue?, _ two: (Name) -> StreamFilterValue?) -> Bool? {
    for (name, isDescending) in fields {
      let (first, second) = (one(name), two(name))
      guard first != second else { continue }
      guard let first else { return false }
      guard let second, let order = first.compare(second) else { return true }
      guard order != 0 else { continue }
      return isDescending ? order > 0 : order < 0
    }
    return nil
  }
}
