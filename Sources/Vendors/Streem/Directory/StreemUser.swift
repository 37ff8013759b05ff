internal import GatewayCore
internal import GatewayKit

/// A user of a company.
struct StreemUser: Hashable, StoreValue {
  /// The `streemUserId`: `usr_` and 22 letters and digits, unique across companies.
  var id: Name
  /// The application's id of the user: the token's `sub`.
  var externalID: Name
  /// The company's code.
  var company: Name
  var name: String?
  var email: String?
  /// The URL of a picture, which is only passed on.
  var avatarURL: String?
  var isExpert = false
  /// Whether the user is a guest who came by an invitation.
  var isInvited: Bool { invitedBy != nil }
  /// The ``id`` of the inviting expert; nil for a user without an invitation.
  var invitedBy: Name?
  var identifiedAt: WallTime
}

/// The user's properties in a login; nil for properties to keep.
struct StreemLogin: Hashable, Sendable {
  var company: Name
  var externalID: Name
  /// The id of the user if this login creates one.
  var newID: Name
  var name: String?
  var email: String?
  var avatarURL: String?
  var isExpert: Bool?
  /// The inviting expert, if the login uses an invitation. Only this makes the user a guest, permanently.
  var invitedBy: Name?
}
