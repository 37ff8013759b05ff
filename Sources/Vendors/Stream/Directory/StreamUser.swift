package import GatewayCore
internal import GatewayKit

/// Custom data of a user, a call, a member or an event: JSON texts by name. Names are equal only if their bytes are.
package typealias StreamCustom = [Name: String]

/// A user as Stream Video and Chat know them.
package struct StreamUser: Hashable, StoreValue {
  package var id: UserID
  /// `user`, `guest`, `admin`, or a role that the application defines.
  package var role: Name
  package var name: String?
  package var image: String?
  package var custom: StreamCustom = [:]
  package var teams: [String] = []
  /// A language code; empty if unknown.
  package var language = ""
  package var isInvisible = false
  package var isBanned = false
  /// The users that this user has blocked, in the order in which they were blocked.
  package var blocked: [UserID] = []
  package var devices: [StreamDevice] = []
  /// The push notifications that the user wants; nil if nothing was set.
  package var pushPreferences: StreamPushPreferences?
  package var createdAt: WallTime
  package var updatedAt: WallTime
  /// When the user last connected.
  package var lastActive: WallTime?
  /// When the user was deactivated, and may not connect any more; nil for an active user.
  package var deactivatedAt: WallTime?
  package var deletedAt: WallTime?
  /// The user's tokens issued before this time are revoked, and so are those without an issue date.
  package var revokesTokensIssuedBefore: WallTime?
  /// Whether the user has a connection, if it was looked up. It is not stored.
  package var isOnline = false

  private enum CodingKeys: String, CodingKey {
    case id, role, name, image, custom, teams, language, isInvisible, isBanned, blocked, devices, createdAt, updatedAt
    case pushPreferences
    case lastActive, deactivatedAt, deletedAt, revokesTokensIssuedBefore
  }

  package init(_ id: UserID, role: Name = "user", createdAt: WallTime) {
    self.id = id
    self.role = role
    self.createdAt = createdAt
    updatedAt = createdAt
  }
}

/// A push device of a user.
package struct StreamDevice: Hashable, Codable, Sendable {
  /// At most 255 bytes.
  package var id: Name
  /// `firebase`, `apn`, `huawei` or `xiaomi`.
  package var pushProvider: String
  package var pushProviderName: String?
  package var isVoIP: Bool
  package var createdAt: WallTime

  package init(
    id: Name, pushProvider: String, pushProviderName: String? = nil, isVoIP: Bool = false, createdAt: WallTime
  ) {
    self.id = id
    self.pushProvider = pushProvider
    self.pushProviderName = pushProviderName
    self.isVoIP = isVoIP
    self.createdAt = createdAt
  }
}
