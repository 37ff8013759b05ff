internal import GatewayCore
internal import GatewayTokens

// Calls and their members as filters see them.

extension StreamCall {
  /// The fields that calls are filtered by, as Stream's documentation of call filters lists them; and every `custom.`
  /// member.
  static let filterFields: Set<String> = [
    "id", "cid", "type", "team", "created_by_user_id", "members", "created_at", "updated_at", "starts_at", "ended_at",
    "backstage", "ongoing",
  ]
  /// Those that calls are sorted by.
  static let sortFields: Set<String> = ["id", "cid", "type", "created_at", "updated_at", "starts_at", "ended_at"]

  func filterValue(_ name: String) -> StreamFilterValue? {
    switch name {
    case "id": .string(id.id)
    case "cid": .string(id.cid)
    case "type": .string(id.type)
    case "team": team.map { .string($0) }
    case "created_by_user_id": .string(createdBy.rawValue)
    case "members": .list(members.map { .string($0.user.rawValue) })
    case "created_at": .date(createdAt)
    case "updated_at": .date(updatedAt)
    case "starts_at": startsAt.map { .date($0) }
    case "ended_at": endedAt.map { .date($0) }
    case "backstage": .bool(isBackstage)
    case "ongoing": .bool(liveSession?.startedAt != nil)
    default: name.hasPrefix("custom.") ? StreamFilterValue(member: String(name.dropFirst(7)), of: custom) : nil
    }
  }
}

extension StreamCallMember {
  static let filterFields: Set<String> = ["user_id", "role", "created_at", "updated_at"]

  func filterValue(_ name: String) -> StreamFilterValue? {
    switch name {
    case "user_id": .string(user.rawValue)
    case "role": role.map { .string($0) }
    case "created_at": .date(createdAt)
    case "updated_at": .date(updatedAt)
    default: name.hasPrefix("custom.") ? StreamFilterValue(member: String(name.dropFirst(7)), of: custom) : nil
    }
  }
}

extension StreamFilter {
  /// Reads `filter_conditions`, which may name these fields and `custom.` members; all is meant where there are none.
  init(of body: StreamBody, fields: Set<String>) throws(StreamError) {
    guard let conditions = try body.object("filter_conditions") else {
      self = .all([])
      return
    }
    try self.init(conditions.view)
    try check(fields)
  }

  private func check(_ fields: Set<String>) throws(StreamError) {
    switch self {
    case .all(let conditions), .any(let conditions), .none(let conditions):
      for condition in conditions { try condition.check(fields) }
    case .member(let name, _, _):
      guard fields.contains(name) || name.hasPrefix("custom.") else {
        throw Self.malformed("there is no field \(name.prefix(64)) to filter by")
      }
    }
  }
}

extension StreamFilterValue {
  /// A member of the application's own; nil if there is none, or it is an object.
  fileprivate init?(member name: String, of custom: [String: String]) {
    // As an element: a text by itself need not be an object or array.
    guard let text = custom[name], let value = try? JSONDocument.parse("[\(text)]").root.elements?.first,
      let read = try? StreamFilterValue(value)
    else { return nil }
    self = read
  }
}
