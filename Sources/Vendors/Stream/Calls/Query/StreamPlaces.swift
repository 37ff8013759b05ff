internal import GatewayCore

// Positions in lists: all values that rows can be sorted by.

/// The position of a call in a list with any order.
struct StreamCallPlace: StreamPlace {
  private let id: CallID
  private let created: WallTime
  private let updated: WallTime
  private let starts: WallTime?
  private let ended: WallTime?

  init(_ call: StreamCall) {
    (id, created, updated) = (call.id, call.createdAt, call.updatedAt)
    (starts, ended) = (call.startsAt, call.endedAt)
  }

  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 5, let id = CallID(cid: String(parts[0])), let created = Int64(parts[1]),
      let updated = Int64(parts[2])
    else { return nil }
    self.id = id
    (self.created, self.updated) = (WallTime(nanoseconds: created), WallTime(nanoseconds: updated))
    (starts, ended) = (Self.time(parts[3]), Self.time(parts[4]))
  }

  var text: String {
    let times: [WallTime?] = [created, updated, starts, ended]
    return ([id.cid] + times.map { $0.map { String($0.nanoseconds) } ?? "-" }).joined(separator: " ")
  }

  private static func time(_ text: Substring) -> WallTime? { Int64(text).map { WallTime(nanoseconds: $0) } }

  /// Returns the value of one of the fields in ``StreamCall/sortFields``.
  private func value(_ name: Name) -> StreamFilterValue? {
    switch name {
    case "id": .string(Name(id.id))
    case "cid": .string(Name(id.cid))
    case "type": .string(Name(id.type))
    case "created_at": .date(created)
    case "updated_at": .date(updated)
    case "starts_at": starts.map { .date($0) }
    case "ended_at": ended.map { .date($0) }
    default: nil
    }
  }

  /// Returns whether this call precedes the other. Calls with equal values are ordered by name.
  func precedes(_ other: Self, in order: StreamOrder) -> Bool {
    order.precedes(value, other.value) ?? (id.cid < other.id.cid)
  }
}

/// The position of a call's member in a list with any order.
struct StreamMemberPlace: StreamPlace {
  private let user: UserID
  private let created: WallTime
  private let place: Int

  init(_ placed: StreamCallMembers.Placed) {
    (user, created, place) = (placed.member.user, placed.member.createdAt, placed.place)
  }

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let place = Int(parts[0]), let created = Int64(parts[1]), !parts[2].isEmpty else {
      return nil
    }
    (user, self.place) = (UserID(String(parts[2])), place)
    self.created = WallTime(nanoseconds: created)
  }

  var text: String { "\(place) \(created.nanoseconds) \(user.rawValue)" }

  private func value(_ name: Name) -> StreamFilterValue? {
    switch name {
    case "user_id": .string(user.name)
    case "created_at": .date(created)
    default: nil
    }
  }

  /// Returns whether this member precedes the other. Members with equal values are ordered by when they were added.
  func precedes(_ other: Self, in order: StreamOrder) -> Bool {
    order.precedes(value, other.value) ?? (place < other.place)
  }
}

/// The position of a call's feedback in a list with any order.
struct StreamFeedbackPlace: StreamPlace {
  private let call: Name
  private let user: UserID
  private let created: WallTime

  init(_ feedback: StreamFeedback, on call: CallID) {
    (self.call, user, created) = (Name(call.cid), feedback.user, feedback.at)
  }

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let created = Int64(parts[1]), !parts[2].isEmpty else { return nil }
    (call, user, self.created) = (Name(parts[0]), UserID(String(parts[2])), WallTime(nanoseconds: created))
  }

  var text: String { "\(call) \(created.nanoseconds) \(user.rawValue)" }

  private func value(_ name: Name) -> StreamFilterValue? {
    switch name {
    case "call_cid", "cid": .string(call)
    case "user_id": .string(user.name)
    case "created_at": .date(created)
    default: nil
    }
  }

  /// Returns whether this feedback precedes the other. Feedback with equal values is ordered by call, oldest first.
  func precedes(_ other: Self, in order: StreamOrder) -> Bool {
    order.precedes(value, other.value) ?? ((call, created, user) < (other.call, other.created, other.user))
  }
}
