package import GatewayCore
internal import GatewayKit

/// A user of a company.
package struct StreemUser: Hashable, StoreValue {
  /// The `streemUserId`: `usr_` and 22 letters and digits, unique across companies.
  package var id: Name
  /// The application's id of the user: the token's `sub`.
  package var externalID: Name
  /// The company's code.
  package var company: Name
  package var name: String?
  package var email: String?
  /// The URL of a picture, which is only passed on.
  package var avatarURL: String?
  package var isExpert: Bool
  /// Whether the user is a guest who came by an invitation.
  package var isInvited: Bool { invitedBy != nil }
  /// The ``id`` of the inviting expert; nil for a user without an invitation.
  package var invitedBy: Name?
  package var identifiedAt: WallTime

  package init(
    id: Name, externalID: Name, company: Name, name: String? = nil, email: String? = nil,
    avatarURL: String? = nil, isExpert: Bool = false, invitedBy: Name? = nil, identifiedAt: WallTime
  ) {
    self.id = id
    self.externalID = externalID
    self.company = company
    self.name = name
    self.email = email
    self.avatarURL = avatarURL
    self.isExpert = isExpert
    self.invitedBy = invitedBy
    self.identifiedAt = identifiedAt
  }
}

/// The user's properties in a login; nil for properties to keep.
package struct StreemLogin: Hashable, Sendable {
  package var company: Name
  package var externalID: Name
  /// The id of the user if this login creates one.
  package var newID: Name
  package var name: String?
  package var email: String?
  package var avatarURL: String?
  package var isExpert: Bool?
  /// The inviting expert, if the login uses an invitation. Only this makes the user a guest, permanently.
  package var invitedBy: Name?

  package init(
    company: Name, externalID: Name, newID: Name, name: String? = nil, email: String? = nil,
    avatarURL: String? = nil, isExpert: Bool? = nil, invitedBy: Name? = nil
  ) {
    self.company = company
    self.externalID = externalID
    self.newID = newID
    self.name = name
    self.email = email
    self.avatarURL = avatarURL
    self.isExpert = isExpert
    self.invitedBy = invitedBy
  }
}
