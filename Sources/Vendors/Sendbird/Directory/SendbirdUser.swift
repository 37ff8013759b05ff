package import GatewayCore
import GatewayKit

/// A user of a Sendbird application, as the application's directory knows them: ann with her nickname and access token,
/// for instance.
package struct SendbirdUser: Hashable, StoreValue {
  package let id: UserID
  /// The user's number inside the application, which no other user has or had: the order in which users were made.
  package var number: Int64
  package var nickname: String
  package var profileURL: String
  package var metadata: [Name: String]
  package var discoveryKeys: [String]
  package var preferredLanguages: [String]
  /// False for a user who was deactivated: known, but not let in.
  package var isActive: Bool
  package var createdAt: WallTime
  /// When the user's last connection ended, or was seen; nil for one who never connected.
  package var lastSeenAt: WallTime?
  package var hasEverLoggedIn: Bool
  /// The user's one access token, good until replaced or revoked; nil if there is none.
  package var accessToken: Credentials? {
    get { heldToken?.credentials }
    set { heldToken = newValue.map { SendbirdAccessToken($0) } }
  }
  private var heldToken: SendbirdAccessToken?
  /// Session tokens issued before this are void; nil if none were revoked.
  package var sessionTokensValidFrom: WallTime?
  /// Whether a token of either kind was ever issued: from then on the user's name alone lets nobody in.
  package var hasBeenIssuedToken: Bool
  package var phoneNumber: String
  package var requiresAuthForProfileImage: Bool

  /// A user without tokens who never connected. The directory gives the number.
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
