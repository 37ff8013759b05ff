internal import GatewayCore
import GatewayKit

/// A user of a Sendbird application.
struct SendbirdUser: Hashable, StoreValue {
  let id: UserID
  /// The user's unique number, never reused: the order in which users were created.
  var number: Int64
  var nickname: String
  var profileURL: String
  var metadata: [Name: String]
  var discoveryKeys: [String]
  var preferredLanguages: [String]
  /// False for a deactivated user, who exists but cannot log in.
  var isActive: Bool
  var createdAt: WallTime
  /// When the user's last connection ended, or the last activity; nil for a user who never connected.
  var lastSeenAt: WallTime?
  var hasEverLoggedIn: Bool
  /// The user's access token, valid until it is replaced or revoked; nil if there is none.
  var accessToken: Credentials? {
    get { heldToken?.credentials }
    set { heldToken = newValue.map { SendbirdAccessToken($0) } }
  }
  private var heldToken: SendbirdAccessToken?
  /// The time before which session tokens are revoked; nil if none were revoked.
  var sessionTokensValidFrom: WallTime?
  /// Whether any token was ever issued: from then on the user cannot log in by name alone.
  var hasBeenIssuedToken: Bool
  var phoneNumber: String
  var requiresAuthForProfileImage: Bool

  /// Creates a user without tokens who never connected. The directory assigns the number.
  init(_ id: UserID, nickname: String = "", profileURL: String = "", createdAt: WallTime) {
    self.id = id
    self.nickname = nickname
    self.profileURL = profileURL
    self.createdAt = createdAt
    number = 0
    metadata = [:]
    discoveryKeys = []
    preferredLanguages = []
    isActive = true
    lastSeenAt = nil
    hasEverLoggedIn = false
    sessionTokensValidFrom = nil
    hasBeenIssuedToken = false
    phoneNumber = ""
    requiresAuthForProfileImage = false
  }
}
