package import GatewayCore
internal import GatewayKit

/// A user of a company: ann of `postern`, an expert, for instance.
package struct StreemUser: Hashable, StoreValue {
  /// The `streemUserId`: `usr_` and 22 letters and digits, of its own in all companies.
  package var id: Name
  /// The application's name for the user: the token's `sub`.
  package var externalID: Name
  /// The code of the company.
  package var company: Name
  package var name: String?
  package var email: String?
  /// Never fetched, only passed on.
  package var avatarURL: String?
  package var isExpert: Bool
  /// Whether the user came by an invitation: a guest of the company.
  package var isInvited: Bool { invitedBy != nil }
  /// The ``id`` of the expert whose invitation it was; nil for a user who did not come by one.
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

/// The part of a login that is about a user, nil for what it does not say: a new name, for instance, which takes the
/// place of the old one.
package struct StreemLogin: Hashable, Sendable {
  package var company: Name
  package var externalID: Name
  /// What the user is called by the platform if this makes one.
  package var newID: Name
  package var name: String?
  package var email: String?
  package var avatarURL: String?
  package var isExpert: Bool?
  /// Whose invitation's login this is. It makes the user a guest, which nothing else does or undoes.
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
