internal import GatewayCore
internal import GatewayJSON

/// A request about one call and the user who sends it.
struct StreamCallRequest: Sendable {
  let request: StreamRequest
  let id: CallID
  /// Nil for a server that acts for no user.
  let user: StreamUser?
  let rights: StreamCallRights

  var body: StreamBody { request.body }
  var family: StreamFamily { request.family }
  var now: WallTime { request.receivedAt }

  /// Returns the acting user; throws if a server names none.
  func actingUser() throws(StreamError) -> StreamUser {
    guard let user else {
      _ = try request.actingUser()
      throw .input("user_id is a required field", field: "user_id")
    }
    return user
  }
}

/// The place in a request where a server names the user it acts for, e.g. `created_by_id`.
enum StreamActing: Sendable {
  case nobody
  /// `user_id` or `user` in the body, or `user_id` in the query.
  case user
  /// The body's member with that name, or with that name and `_id`.
  case member(String)
  /// `created_by` or `created_by_id` of the call's data.
  case creator
}

/// The properties that a request gives a call, which may have to be created.
struct StreamCallWish: Sendable {
  /// A member to add or change. Properties that are nil stay as they are.
  struct Member: Sendable {
    var user: UserID
    var role: Name?
    var custom: StreamCustom?
  }

  var members: [Member] = []
  var custom: StreamCustom?
  var settings: [String: String]?
  var startsAt: WallTime?
  var team: String?
  var isVideo: Bool?
  var rings = false
  var notifies = false
  var membersLimit = StreamCallPicture.membersMax

  /// Reads the body of a get-or-create or join request.
  init(_ body: StreamBody) throws(StreamError) {
    rings = try body.bool("ring") ?? false
    notifies = try body.bool("notify") ?? false
    isVideo = try body.bool("video")
    membersLimit = try Self.membersLimit(body)
    guard let data = try body.object("data") else { return }
    members = try Self.members(data, "members")
    custom = try data.custom("custom")
    settings = try data.object("settings_override").map(StreamCallSettings.overrides)
    startsAt = try data.date("starts_at")
    team = try data.string("team", max: 255)
    if let video = try data.bool("video") { isVideo = video }
  }

  static func membersLimit(_ body: StreamBody) throws(StreamError) -> Int {
    let limit = try body.integer("members_limit", in: 0...Int64(StreamCallPicture.membersMax))
    return limit.map { Int($0) } ?? StreamCallPicture.membersMax
  }

  /// Reads at most 100 members, each once.
  static func members(_ body: StreamBody, _ name: String) throws(StreamError) -> [Member] {
    var members: [Member] = []
    var seen: Set<UserID> = []
    for view in try body.array(name, count: StreamCallPicture.membersMax) ?? [] {
      let member = try StreamBody(view, inside: name)
      let user = try StreamUser.checkedID(member.requiredString("user_id", max: UserID.lengthMax))
      guard seen.insert(user).inserted else { throw .input("duplicate member \"\(user)\"", field: name) }
      let role = try member.string("role", max: 255).map { Name($0) }
      members.append(Member(user: user, role: role, custom: try member.custom("custom")))
    }
    return members
  }
}

extension StreamBody {
  /// The maximum number of bytes of custom data as JSON text: Stream's limit for an event's payload.
  static var customMax: Int { 5 * 1024 }

  /// Reads custom data.
  func custom(_ name: String) throws(StreamError) -> StreamCustom? {
    guard let object = try object(name) else { return nil }
    let members = (object.view.members ?? []).map { (Name($0.name), $0.value.text) }
    let custom = StreamCustom(members, uniquingKeysWith: { $1 })
    guard custom.byteCount <= Self.customMax else { throw wrong(name, "at most \(Self.customMax) bytes") }
    return custom
  }
}

extension StreamCall {
  /// Adds the members who are new, and changes the others.
  mutating func put(_ wishes: [StreamCallWish.Member], at now: WallTime) {
    for wish in wishes {
      guard let before = members[wish.user] else {
        members[wish.user] = StreamCallMember(
          user: wish.user, role: wish.role, custom: wish.custom ?? [:], createdAt: now)
        continue
      }
      var member = before
      if let role = wish.role { member.role = role }
      if let custom = wish.custom { member.custom = custom }
      guard member != before else { continue }
      member.updatedAt = now
      members[wish.user] = member
    }
  }
}
