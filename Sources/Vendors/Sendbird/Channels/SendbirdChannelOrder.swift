internal import GatewayCore
internal import GatewayJSON

/// The properties of a channel to create.
struct SendbirdChannelOrder: Sendable {
  let kind: SendbirdChannel.Kind
  /// The requested URL; nil for any.
  let url: Name?
  let isStrict: Bool
  let inviter: UserID?
  private let creator: UserID?
  private let change: SendbirdChannelChange
  private let members: [UserID]
  private let isDistinct: Bool
  /// The users with an explicit choice of being invited (true) or joined (false).
  private let invited: [UserID: Bool]

  init(_ kind: SendbirdChannel.Kind, _ body: SendbirdParameters, creator: UserID?) throws(SendbirdError) {
    self.kind = kind
    url = try Self.url(body)
    isStrict = try body.bool("strict") ?? false
    change = try SendbirdChannelChange(body)
    isDistinct = kind == .group ? try body.bool("is_distinct") ?? false : false
    let named = try body.user("inviter_id")
    inviter = creator ?? named
    self.creator = creator ?? named
    guard kind == .group else {
      members = []
      invited = [:]
      return
    }
    members = try Self.members(body, creator: creator)
    invited = try body.invitations
  }

  /// Reads the URL: letters, digits, `_` and `-`, as documented, since it is part of paths.
  private static func url(_ body: SendbirdParameters) throws(SendbirdError) -> Name? {
    guard let url = try body.string("channel_url", max: SendbirdLimits.channelURL), !url.isEmpty else { return nil }
    guard url.utf8.allSatisfy(isAllowed) else { throw .characterNotAllowed("channel_url") }
    return Name(url)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }

  /// Reads the members, given by id or as objects with an id. A client is a member of its own channels.
  private static func members(_ body: SendbirdParameters, creator: UserID?) throws(SendbirdError) -> [UserID] {
    let listed = try body.users("user_ids")
    let objects = try body.objects("users", count: SendbirdLimits.usersOfRequest) { (user) throws(SendbirdError) in
      try user.neededUser("user_id")
    }
    guard listed != nil || objects != nil || creator != nil else { throw .missing("user_ids") }
    var seen: Set<UserID> = []
    return ((creator.map { [$0] } ?? []) + (listed ?? []) + (objects ?? [])).filter { seen.insert($0).inserted }
  }

  /// All users who must exist.
  var users: Set<UserID> {
    Set(members).union(creator.map { [$0] } ?? []).union(change.operators ?? [])
  }

  /// The members that another user adds.
  var invitees: [UserID] { members.filter { $0 != creator } }

  /// Returns the channel. Users who are not `known` are left out; users in `asked` are invited instead of joined,
  /// unless the request decides it.
  func channel(url: Name, known: Set<UserID>, asked: Set<UserID>, at now: WallTime) -> SendbirdChannel {
    var properties = SendbirdChannel.Properties()
    change.apply(to: &properties)
    properties.operators.removeAll { !known.contains($0) }
    let members = members.filter { known.contains($0) }.map { user in
      SendbirdMember(
        user, waits(user, asked) ? .invited : .joined, inviter: user == creator ? nil : inviter, at: now)
    }
    return SendbirdChannel(
      url: url, kind: kind, createdBy: creator.flatMap { known.contains($0) ? $0 : nil }, createdAt: now,
      properties: properties, isDistinct: isDistinct, members: members)
  }
}

extension SendbirdChannelOrder {
  private func waits(_ user: UserID, _ asked: Set<UserID>) -> Bool {
    invited[user] ?? (asked.contains(user) && user != creator)
  }
}

/// The changes of a channel in a request's body. Missing properties stay as they are.
struct SendbirdChannelChange: Sendable {
  private let name: String?
  private let coverURL: String?
  private let customType: Name?
  private let data: String?
  private let isPublic: Bool?
  private let isSuper: Bool?
  private let isEphemeral: Bool?
  private let isBroadcast: Bool?
  let operators: [UserID]?

  init(_ body: SendbirdParameters) throws(SendbirdError) {
    name = try body.string("name", max: SendbirdLimits.channelName)
    coverURL = try body.string("cover_url", max: SendbirdLimits.url)
    customType = try body.name("custom_type", max: SendbirdLimits.customType)
    data = try body.string("data", max: SendbirdLimits.channelData)
    isPublic = try body.bool("is_public")
    isSuper = try body.bool("is_super")
    isEphemeral = try body.bool("is_ephemeral")
    isBroadcast = try body.bool("is_broadcast")
    let older = try body.users("operators", count: SendbirdLimits.operators)
    operators = try body.users("operator_ids", count: SendbirdLimits.operators) ?? older
  }

  func apply(to properties: inout SendbirdChannel.Properties) {
    if let name { properties.name = name }
    if let coverURL { properties.coverURL = coverURL }
    if let customType { properties.customType = customType }
    if let data { properties.data = data }
    if let isPublic { properties.isPublic = isPublic }
    if let isSuper { properties.isSuper = isSuper }
    if let isEphemeral { properties.isEphemeral = isEphemeral }
    if let isBroadcast { properties.isBroadcast = isBroadcast }
    if let operators { properties.operators = operators }
  }
}
