internal import GatewayCore
internal import GatewayJSON

// The fields of calls and members that filters can use.

extension StreamCall {
  /// The fields that calls can be filtered by, as in Stream's documentation of call filters. Every `custom.` member can
  /// be used too.
  static let filterFields: Set<Name> = [
    "id", "cid", "type", "team", "created_by_user_id", "members", "created_at", "updated_at", "starts_at", "ended_at",
    "backstage", "ongoing",
  ]
  /// The fields that calls can be sorted by.
  static let sortFields: Set<Name> = ["id", "cid", "type", "created_at", "updated_at", "starts_at", "ended_at"]

  func filterValue(_ name: Name) -> StreamFilterValue? {
    switch name {
    case "id": .string(Name(id.id))
    case "cid": .string(Name(id.cid))
    case "type": .string(Name(id.type))
    case "team": team.map { .string(Name($0)) }
    case "created_by_user_id": .string(createdBy.name)
    case "members": .list(memberNames)
    case "created_at": .date(createdAt)
    case "updated_at": .date(updatedAt)
    case "starts_at": startsAt.map { .date($0) }
    case "ended_at": endedAt.map { .date($0) }
    case "backstage": .bool(isBackstage)
    case "ongoing": .bool(liveSession?.startedAt != nil)
    default: name.inCustom.flatMap { StreamFilterValue(member: $0, of: custom) }
    }
  }
}

extension StreamCall {
  /// The names of the members that were looked up: the ones in the filter. Of other members only the existence matters.
  private var memberNames: [StreamFilterValue] {
    let known = members.inOrder
    return known.map { .string($0.user.name) } + Array(repeating: .null, count: members.count - known.count)
  }
}

extension StreamCallMember {
  static let filterFields: Set<Name> = ["user_id", "role", "created_at", "updated_at"]
  /// The fields that members can be sorted by, as in Stream's documentation.
  static let sortFields: Set<Name> = ["user_id", "created_at"]

  func filterValue(_ name: Name) -> StreamFilterValue? {
    switch name {
    case "user_id": .string(user.name)
    case "role": role.map { .string($0) }
    case "created_at": .date(createdAt)
    case "updated_at": .date(updatedAt)
    default: name.inCustom.flatMap { StreamFilterValue(member: $0, of: custom) }
    }
  }
}

extension StreamFilter {
  /// Reads `filter_conditions`, which may use `fields` and `custom.` members. Without conditions everything matches.
  init(of body: StreamBody, fields: Set<Name>) throws(StreamError) {
    guard let conditions = try body.object("filter_conditions") else {
      self = .all([])
      return
    }
    try self.init(conditions.view)
    try check(fields)
  }

  /// Returns the texts that the member with that name is compared with.
  func texts(of name: Name) -> [Name] {
    switch self {
    case .all(let conditions), .any(let conditions), .none(let conditions): conditions.flatMap { $0.texts(of: name) }
    case .member(name, _, .string(let text)): [text]
    case .member(name, _, .list(let values)): values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    case .member: []
    }
  }

  private func check(_ fields: Set<Name>) throws(StreamError) {
    switch self {
    case .all(let conditions), .any(let conditions), .none(let conditions):
      for condition in conditions { try condition.check(fields) }
    case .member(let name, _, _):
      guard fields.contains(name) || name.inCustom != nil else {
        throw Self.malformed("there is no field \(name.text.prefix(64)) to filter by")
      }
    }
  }
}

extension StreamFilterValue {
  /// Reads a custom member; fails if there is none or it is an object.
  init?(member name: Name, of custom: StreamCustom) {
    // The text is parsed as an array element because JSON documents here are objects or arrays.
    guard let text = custom[name], let value = try? JSONDocument.parse("[\(text)]").root.elements?.first,
      let read = try? StreamFilterValue(value)
    else { return nil }
    self = read
  }
}
