internal import GatewayCore
internal import GatewayJSON

/// The changes of a user in a request: members that are named are set, the others stay.
struct StreamUserChange: Sendable {
  private var name: String?
  private var image: String?
  private var role: Name?
  private var language: String?
  private var isInvisible: Bool?
  private var teams: [String]?
  private var custom: StreamCustom = [:]
  /// Whether members that are not named are removed.
  private let isWhole: Bool

  /// The maximum number of bytes of custom members, and of the members themselves.
  static let customBytesMax = 5 * 1024
  static let customCountMax = 100

  /// Stream's own members: if custom members are beside them, these are not custom.
  static let reserved: Set<Name> = [
    "id", "role", "name", "image", "language", "invisible", "teams", "teams_role", "privacy_settings",
    "push_notifications", "push_preferences", "created_at", "updated_at", "last_active", "deactivated_at",
    "deleted_at", "banned", "ban_expires", "online", "devices", "mutes", "channel_mutes", "unread_count",
    "total_unread_count", "unread_channels", "unread_threads", "blocked_user_ids", "revoke_tokens_issued_before",
    "shadow_banned", "anon", "type", "custom",
  ]

  /// Reads the user object of a request.
  ///
  /// - Parameters:
  ///   - body: The received object.
  ///   - isFlat: Whether custom members stand beside the others.
  ///   - mayNameRole: Whether the sender may set the user's role and teams: a server may.
  ///   - isWhole: Whether the object is the whole user: missing members are then removed, except the role and the
  ///     teams.
  init(
    _ body: StreamBody, isFlat: Bool, mayNameRole: Bool, isWhole: Bool = false
  ) throws(StreamError) {
    self.isWhole = isWhole
    name = try body.string("name")
    image = try body.string("image")
    language = try body.string("language", max: 16)
    isInvisible = try body.bool("invisible")
    if mayNameRole {
      role = try body.string("role", max: 64).map { Name($0) }
      teams = try body.strings("teams")
    }
    if let object = try body.object("custom") { add(object.view) }
    if isFlat { add(body.view, without: Self.reserved) }
  }

  private mutating func add(_ object: JSONView, without reserved: Set<Name> = []) {
    for (text, value) in object.members ?? [] {
      let name = Name(text)
      if !reserved.contains(name) { custom[name] = value.text }
    }
  }

  /// Applies the changes; throws if the user would have too many custom members.
  func apply(to user: inout StreamUser) throws(GatewayError) {
    if let name { user.name = name } else if isWhole { user.name = nil }
    if let image { user.image = image } else if isWhole { user.image = nil }
    if let role { user.role = role }
    if let language { user.language = language }
    if let isInvisible { user.isInvisible = isInvisible }
    if let teams { user.teams = teams }
    user.custom = isWhole ? custom : user.custom.merging(custom) { $1 }
    try user.checkCustom()
  }
}

extension StreamUser {
  /// Throws if there are more custom members than a user may have.
  func checkCustom() throws(GatewayError) {
    guard custom.byteCount <= StreamUserChange.customBytesMax, custom.count <= StreamUserChange.customCountMax else {
      throw .invalidParameter.worded(
        "custom is limited to \(StreamUserChange.customBytesMax) bytes and \(StreamUserChange.customCountMax) members")
    }
  }
}
