package import GatewayCore
internal import GatewayKit

/// The application's own members of a user, a call, a member of it or an event: each with its value as JSON text. Two
/// names are one only if their bytes are the same.
package typealias StreamCustom = [Name: String]

/// A user as Stream Video and Chat know them: ann, an `admin`, for instance.
package struct StreamUser: Hashable, StoreValue {
  package var id: UserID
  /// `user`, `guest`, `admin`, or a name of the application's own.
  package var role: Name
  package var name: String?
  package var image: String?
  package var custom: StreamCustom = [:]
  package var teams: [String] = []
  /// A language code; empty if unknown.
  package var language = ""
  package var isInvisible = false
  package var isBanned = false
  /// The users that this one has blocked, in the order in which they were.
  package var blocked: [UserID] = []
  package var devices: [StreamDevice] = []
  /// Which push notifications the user wants; nil if nothing was said of it.
  package var pushPreferences: StreamPushPreferences?
  package var createdAt: WallTime
  package var updatedAt: WallTime
  /// When the user last connected.
  package var lastActive: WallTime?
  /// From then on the user may not connect; nil for one who may.
  package var deactivatedAt: WallTime?
  package var deletedAt: WallTime?
  /// Tokens of the user issued before this are good no more, nor are those without an issue date.
  package var revokesTokensIssuedBefore: WallTime?
  /// Whether the user has a connection, where somebody has looked: it is not kept.
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

/// A device that a user gets push notifications on: a telephone, by its token, for instance.
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
