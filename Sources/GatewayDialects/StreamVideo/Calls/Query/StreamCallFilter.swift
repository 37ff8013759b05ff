internal import GatewayCore
internal import GatewayTokens

/// The `filter_conditions` of a query: which calls are meant.
///
/// Fields and operators are those of Stream's documentation of call filters, and `custom.` before the name of any member
/// of the application's own.
indirect enum StreamCallFilter: Sendable {
  case all([StreamCallFilter])
  case any([StreamCallFilter])
  case none([StreamCallFilter])
  case field(StreamCallField, Comparison, [StreamCallField.Value])
  case exists(StreamCallField, Bool)

  enum Comparison: String, Sendable {
    case equal = "$eq"
    case unequal = "$ne"
    case among = "$in"
    case greater = "$gt"
    case atLeast = "$gte"
    case less = "$lt"
    case atMost = "$lte"
  }

  /// The most conditions of one query, and the most values of one condition.
  private static let conditionsMax = 100
  private static let valuesMax = 1000

  /// Reads the conditions; an empty object means every call.
  init(_ body: StreamBody) throws(StreamError) {
    var room = Self.conditionsMax
    self = try Self.read(body.view, &room)
  }

  private static func read(_ view: JSONView, _ room: inout Int) throws(StreamError) -> StreamCallFilter {
    guard let members = view.members else { throw wrong("must be an object") }
    var filters: [StreamCallFilter] = []
    for (name, value) in members {
      room -= 1
      guard room >= 0 else { throw wrong("at most \(conditionsMax) conditions") }
      switch name {
      case "$and": filters.append(.all(try readList(value, name, &room)))
      case "$or": filters.append(.any(try readList(value, name, &room)))
      case "$nor": filters.append(.none(try readList(value, name, &room)))
      default: filters += try readField(name, value, &room)
      }
    }
    return filters.count == 1 ? filters[0] : .all(filters)
  }

  private static func readList(
    _ value: JSONView, _ name: String, _ room: inout Int
  ) throws(StreamError) -> [StreamCallFilter] {
    guard let elements = value.elements, !elements.isEmpty else {
      throw wrong("\(name) must be an array of conditions")
    }
    var filters: [StreamCallFilter] = []
    for element in elements {
      // An empty condition costs room too: the list itself must end.
      room -= 1
      guard room >= 0 else { throw wrong("at most \(conditionsMax) conditions") }
      filters.append(try read(element, &room))
    }
    return filters
  }

  private static func readField(
    _ name: String, _ value: JSONView, _ room: inout Int
  ) throws(StreamError) -> [StreamCallFilter] {
    guard let field = StreamCallField(name) else { throw wrong("there is no field \(name) to filter by") }
    guard let operators = value.members, operators.contains(where: { $0.name.hasPrefix("$") }) else {
      return [.field(field, .equal, [try field.read(value, name)])]
    }
    var filters: [StreamCallFilter] = []
    for (sign, operand) in operators {
      room -= 1
      guard room >= 0 else { throw wrong("at most \(conditionsMax) conditions") }
      if sign == "$exists" {
        guard let exists = operand.bool else { throw wrong("$exists of \(name) must be true or false") }
        filters.append(.exists(field, exists))
        continue
      }
      guard let comparison = Comparison(rawValue: sign) else { throw wrong("there is no operator \(sign)") }
      var values = [operand]
      if comparison == .among {
        guard let elements = operand.elements, elements.count <= valuesMax else {
          throw wrong("$in of \(name) must be an array of at most \(valuesMax)")
        }
        values = elements
      }
      var read: [StreamCallField.Value] = []
      for value in values { read.append(try field.read(value, name)) }
      filters.append(.field(field, comparison, read))
    }
    return filters
  }

  private static func wrong(_ message: String) -> StreamError {
    .input("filter_conditions: \(message)", field: "filter_conditions")
  }

  /// Whether the call is meant.
  func holds(for call: StreamCall) -> Bool {
    switch self {
    case .all(let filters): filters.allSatisfy { $0.holds(for: call) }
    case .any(let filters): filters.contains { $0.holds(for: call) }
    case .none(let filters): !filters.contains { $0.holds(for: call) }
    case .exists(let field, let exists): field.values(of: call).isEmpty != exists
    case .field(let field, .unequal, let wanted): !field.values(of: call).contains { wanted.contains($0) }
    case .field(let field, let comparison, let wanted):
      field.values(of: call).contains { value in wanted.contains { comparison.holds(value, $0) } }
    }
  }
}

extension StreamCallFilter.Comparison {
  fileprivate func holds(_ value: StreamCallField.Value, _ wanted: StreamCallField.Value) -> Bool {
    switch self {
    case .equal, .among: value == wanted
    case .unequal: value != wanted
    case .greater: value.precedes(wanted) == false && value != wanted && value.isComparable(to: wanted)
    case .atLeast: value.precedes(wanted) == false && value.isComparable(to: wanted)
    case .less: value.precedes(wanted)
    case .atMost: value.precedes(wanted) || value == wanted
    }
  }
}
