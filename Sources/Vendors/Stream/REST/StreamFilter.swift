internal import GatewayCore
internal import GatewayJSON

/// A condition in Stream's query language (`filter_conditions`) on members that the caller looks up.
indirect enum StreamFilter: Sendable {
  case all([StreamFilter])
  case any([StreamFilter])
  case none([StreamFilter])
  case member(Name, Operator, StreamFilterValue)

  /// The comparison that a filter makes, e.g. `$gt`.
  enum Operator: String, Sendable {
    case equal = "$eq"
    case notEqual = "$ne"
    case among = "$in"
    case notAmong = "$nin"
    case above = "$gt"
    case atLeast = "$gte"
    case below = "$lt"
    case atMost = "$lte"
    case exists = "$exists"
    /// A string with that prefix, without case.
    case autocomplete = "$autocomplete"
    case contains = "$contains"
  }

  /// The maximum number of conditions in one filter.
  private static let conditionsMax = 100

  /// Reads an object of conditions, all of which must hold.
  init(_ view: JSONView) throws(StreamError) {
    var count = 0
    self = try Self.read(view, &count)
  }

  private static func read(_ view: JSONView, _ count: inout Int) throws(StreamError) -> StreamFilter {
    guard let members = view.members else { throw malformed("a condition must be an object") }
    var conditions: [StreamFilter] = []
    for (name, value) in members {
      switch name {
      case "$and": conditions.append(.all(try list(value, &count)))
      case "$or": conditions.append(.any(try list(value, &count)))
      case "$nor": conditions.append(.none(try list(value, &count)))
      default:
        guard name.utf8.first != UInt8(ascii: "$") else {
          throw malformed("no operator \(name.prefix(32)) stands here")
        }
        guard value.isObject else {
          conditions.append(.member(Name(name), .equal, try StreamFilterValue(value)))
          break
        }
        for (operatorName, operand) in value.members ?? [] {
          guard let known = Operator(rawValue: operatorName) else {
            throw malformed("no operator \(operatorName.prefix(32)) is known")
          }
          conditions.append(.member(Name(name), known, try StreamFilterValue(operand)))
        }
      }
      count += 1
      guard count <= conditionsMax else { throw malformed("at most \(conditionsMax) conditions") }
    }
    return .all(conditions)
  }

  private static func list(_ view: JSONView, _ count: inout Int) throws(StreamError) -> [StreamFilter] {
    guard let elements = view.elements else { throw malformed("$and, $or and $nor take an array") }
    var conditions: [StreamFilter] = []
    for element in elements { conditions.append(try read(element, &count)) }
    return conditions
  }

  static func malformed(_ what: String) -> StreamError {
    .input("filter_conditions: \(what)", field: "filter_conditions")
  }

  /// Returns whether the conditions hold for an object whose members `lookUp` returns.
  func holds(for lookUp: (Name) -> StreamFilterValue?) -> Bool {
    switch self {
    case .all(let conditions): conditions.allSatisfy { $0.holds(for: lookUp) }
    case .any(let conditions): conditions.contains { $0.holds(for: lookUp) }
    case .none(let conditions): !conditions.contains { $0.holds(for: lookUp) }
    case .member(let name, let relation, let operand): Self.holds(lookUp(name), relation, operand)
    }
  }

  private static func holds(_ value: StreamFilterValue?, _ relation: Operator, _ operand: StreamFilterValue) -> Bool {
    switch relation {
    case .exists: return (value != nil) == (operand == .bool(true))
    case .equal: return value?.isSame(as: operand) ?? (operand == .null)
    case .notEqual: return !(value?.isSame(as: operand) ?? (operand == .null))
    case .among: return isAmong(value, operand)
    case .notAmong: return !isAmong(value, operand)
    case .contains:
      guard case .list(let elements) = value else { return false }
      return elements.contains { $0.isSame(as: operand) }
    case .autocomplete:
      guard case .string(let text) = value, case .string(let start) = operand else { return false }
      let (words, wanted) = (text.text.lowercased(), start.text.lowercased())
      return words.hasPrefix(wanted) || words.split(separator: " ").contains { $0.hasPrefix(wanted) }
    case .above: return value?.compare(operand).map { $0 > 0 } ?? false
    case .atLeast: return value?.compare(operand).map { $0 >= 0 } ?? false
    case .below: return value?.compare(operand).map { $0 < 0 } ?? false
    case .atMost: return value?.compare(operand).map { $0 <= 0 } ?? false
    }
  }

  /// Returns whether the value, or for a list one of its elements, is among the operand's values.
  private static func isAmong(_ value: StreamFilterValue?, _ operand: StreamFilterValue) -> Bool {
    guard case .list(let wanted) = operand, let value else { return false }
    let own: [StreamFilterValue] = if case .list(let elements) = value { elements } else { [value] }
    return own.contains { element in wanted.contains { element.isSame(as: $0) } }
  }
}

/// A value that filters compare.
enum StreamFilterValue: Hashable, Sendable {
  /// Text that is compared by its bytes.
  case string(Name)
  case number(Double)
  case bool(Bool)
  case date(WallTime)
  case list([StreamFilterValue])
  case null

  /// The maximum number of values in one list.
  private static let elementsMax = 1000

  /// Reads a filter's operand or a custom member.
  init(_ view: JSONView) throws(StreamError) {
    if let string = view.string {
      self = .string(Name(string))
    } else if let number = view.number {
      self = .number(number)
    } else if let bool = view.bool {
      self = .bool(bool)
    } else if let elements = view.elements {
      var list: [StreamFilterValue] = []
      guard elements.count <= Self.elementsMax else {
        throw StreamFilter.malformed("at most \(Self.elementsMax) values")
      }
      for element in elements { list.append(try StreamFilterValue(element)) }
      self = .list(list)
    } else if view.isNull {
      self = .null
    } else {
      throw StreamFilter.malformed("an object is no operand")
    }
  }

  /// Returns whether both are equal; a date is equal to the text that denotes it.
  func isSame(as other: StreamFilterValue) -> Bool {
    self == other || compare(other) == 0
  }

  /// Returns a number below 0, 0 or above 0; nil for values without an order.
  func compare(_ other: StreamFilterValue) -> Int? {
    switch (self, other) {
    case (.string(let left), .string(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.number(let left), .number(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.date(let left), .date(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.date, .string(let text)): StreamDates.read(text.text).flatMap { compare(.date($0)) }
    case (.date, .number(let nanoseconds)):
      abs(nanoseconds) < 9e18 ? compare(.date(WallTime(nanoseconds: Int64(nanoseconds)))) : nil
    default: nil
    }
  }
}

extension StreamUser {
  /// Returns the member with that name as a filter value.
  func filterValue(_ name: Name) -> StreamFilterValue? {
    switch name {
    case "id": .string(id.name)
    case "role": .string(role)
    case "name": self.name.map { .string(Name($0)) }
    case "image": image.map { .string(Name($0)) }
    case "language": .string(Name(language))
    case "teams": .list(teams.map { .string(Name($0)) })
    case "banned": .bool(isBanned)
    case "invisible": .bool(isInvisible)
    case "created_at": .date(createdAt)
    case "updated_at": .date(updatedAt)
    case "last_active": lastActive.map { .date($0) }
    default: StreamFilterValue(member: name.inCustom ?? name, of: custom)
    }
  }
}
