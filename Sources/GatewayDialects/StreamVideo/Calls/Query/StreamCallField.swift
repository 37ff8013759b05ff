internal import GatewayCore
internal import GatewayTokens

/// What calls are filtered and sorted by.
enum StreamCallField: Hashable, Sendable {
  case id, cid, type, team, createdBy, members, createdAt, updatedAt, startsAt, endedAt, backstage, ongoing
  case custom(String)

  init?(_ name: String) {
    switch name {
    case "id": self = .id
    case "cid": self = .cid
    case "type": self = .type
    case "team": self = .team
    case "created_by_user_id": self = .createdBy
    case "members": self = .members
    case "created_at": self = .createdAt
    case "updated_at": self = .updatedAt
    case "starts_at": self = .startsAt
    case "ended_at": self = .endedAt
    case "backstage": self = .backstage
    case "ongoing": self = .ongoing
    default:
      guard name.hasPrefix("custom."), name.utf8.count > 7 else { return nil }
      self = .custom(String(name.dropFirst(7)))
    }
  }

  /// Whether calls can be put in order by it.
  var isSortable: Bool {
    switch self {
    case .id, .cid, .type, .createdAt, .updatedAt, .startsAt, .endedAt: true
    case .team, .createdBy, .members, .backstage, .ongoing, .custom: false
    }
  }

  /// One value of a field.
  enum Value: Hashable, Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case time(WallTime)
    /// Any other JSON value, as text.
    case other(String)

    func isComparable(to other: Value) -> Bool {
      switch (self, other) {
      case (.text, .text), (.number, .number), (.time, .time): true
      default: false
      }
    }

    /// Whether it comes before `other`; false for values that have no order between them.
    func precedes(_ other: Value) -> Bool {
      switch (self, other) {
      case (.text(let one), .text(let two)): one < two
      case (.number(let one), .number(let two)): one < two
      case (.time(let one), .time(let two)): one < two
      default: false
      }
    }
  }

  /// A value that a filter compares with.
  func read(_ view: JSONView, _ name: String) throws(StreamError) -> Value {
    let value: Value? =
      switch self {
      case .id, .cid, .type, .team, .createdBy, .members: view.string.map { .text($0) }
      case .createdAt, .updatedAt, .startsAt, .endedAt:
        view.integer.map { .time(WallTime(nanoseconds: $0)) } ?? view.string.flatMap(StreamDates.read).map { .time($0) }
      case .backstage, .ongoing: view.bool.map { .flag($0) }
      case .custom: Self.value(view)
      }
    guard let value else {
      throw .input("filter_conditions: \(name) is compared with a value of another kind", field: "filter_conditions")
    }
    return value
  }

  /// The values that the call has there: none, one, or several.
  func values(of call: StreamCall) -> [Value] {
    switch self {
    case .id: [.text(call.id.id)]
    case .cid: [.text(call.id.cid)]
    case .type: [.text(call.id.type)]
    case .team: call.team.map { [.text($0)] } ?? []
    case .createdBy: [.text(call.createdBy.rawValue)]
    case .members: call.members.map { .text($0.user.rawValue) }
    case .createdAt: [.time(call.createdAt)]
    case .updatedAt: [.time(call.updatedAt)]
    case .startsAt: call.startsAt.map { [.time($0)] } ?? []
    case .endedAt: call.endedAt.map { [.time($0)] } ?? []
    case .backstage: [.flag(call.isBackstage)]
    case .ongoing: [.flag(call.liveSession?.startedAt != nil)]
    case .custom(let name): call.custom[name].flatMap { Self.value(text: $0) } ?? []
    }
  }

  /// A custom member's value; one that is an array has those of its elements too.
  private static func value(text: String) -> [Value]? {
    // Only arrays and objects are texts of their own: others are read inside one.
    guard let view = try? JSONDocument.parse("[\(text)]").root.elements?.first else { return nil }
    return [value(view)] + (view.elements ?? []).map { value($0) }
  }

  private static func value(_ view: JSONView) -> Value {
    if let text = view.string { return .text(text) }
    if let number = view.number { return .number(number) }
    if let flag = view.bool { return .flag(flag) }
    return .other(view.text)
  }
}
