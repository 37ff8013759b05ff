internal import GatewayCore
internal import GatewayKit

/// Custom data of a user, a call, a member or an event: JSON texts by name. Names are equal only if their bytes are.
typealias StreamCustom = [Name: String]

/// A user as Stream Video and Chat know them.
struct StreamUser: Hashable, StoreValue {
  var id: UserID
  /// `user`, `guest`, `admin`, or a role that the application defines.
  var role: Name
  var name: String?
  var image: String?
  var custom: StreamCustom = [:]
  var teams: [String] = []
  /// A language code; empty if unknown.
  var language = ""
  var isInvisible = false
  var isBanned = false
  /// The users that this user has blocked, in the order in which they were blocked.
  var blocked: [UserID] = []
  var devices: [StreamDevice] = []
  /// The push notifications that the user wants; nil if nothing was set.
  var pushPreferences: StreamPushPreferences?
  var createdAt: WallTime
  var updatedAt: WallTime
  /// When the user last connected.
  var lastActive: WallTime?
  /// When the user was deactivated, and may not connect any more; nil for an active user.
  var deactivatedAt: WallTime?
  var deletedAt: WallTime?
  /// The user's tokens issued before this time are revoked, and so are those without an issue date.
  var revokesTokensIssuedBefore: WallTime?
  /// Whether the user has a connection, if it was looked up. It is not stored.
  var isOnline = false

  private enum CodingKeys: String, CodingKey {
    case id, role, name, image, custom, teams, language, isInvisible, isBanned, blocked, devices, createdAt, updatedAt
    case pushPreferences
    case lastActive, deactivatedAt, deletedAt, revokesTokensIssuedBefore
  }

  init(_ id: UserID, role: Name = "user", createdAt: WallTime) {
    self.id = id
    self.role = role
    self.createdAt = createdAt
    updatedAt = createdAt
  }
}

/// A push device of a user.
struct StreamDevice: Hashable, Codable, Sendable {
  /// At most 255 bytes.
  var id: Name
  /// `firebase`, `apn`, `huawei` or `xiaomi`.
  var pushProvider: String
  var pushProviderName: String?
  var isVoIP = false
  var createdAt: WallTime
}
