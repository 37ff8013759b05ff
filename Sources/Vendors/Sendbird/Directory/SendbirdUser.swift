package import GatewayCore
import GatewayKit

/// A user of a Sendbird application.
package struct SendbirdUser: Hashable, StoreValue {
  package let id: UserID
  /// The user's unique number, never reused: the order in which users were created.
  package var number: Int64
  package var nickname: String
  package var profileURL: String
  package var metadata: [Name: String]
  package var discoveryKeys: [String]
  package var preferredLanguages: [String]
  /// False for a deactivated user, who exists but cannot log in.
  package var isActive: Bool
  package var createdAt: WallTime
  /// When the user's last connection ended, or the last activity; nil for a user who never connected.
  package var lastSeenAt: WallTime?
  package var hasEverLoggedIn: Bool
  /// The user's access token, valid until it is replaced or revoked; nil if there is none.
  package var accessToken: Credentials? {
    get { heldToken?.credentials }
    set { heldToken = newValue.map { SendbirdAccessToken($0) } }
  }
  private var heldToken: SendbirdAccessToken?
  /// The time before which session tokens are revoked; nil if none were revoked.
  package var sessionTokensValidFrom: WallTime?
  /// Whether any token was ever issued: from then on the user cannot log in by name alone.
  package var hasBeenIssuedToken: Bool
  package var phoneNumber: String
  package var requiresAuthForProfileImage: Bool

  /// Creates a user without tokens who never connected. The directory assigns the number.
  package init(_ id: UserID, nickname: String = "", profileURL: String = "", createdAt: WallTime) {
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
