/// A user of a company.
package struct StreemUser: Hashable, Sendable {
  /// The `streemUserId`: `usr_` and 22 letters and digits, of its own in all companies.
  package var id: String
  /// The application's name for the user: the token's `sub`.
  package var externalID: String
  /// The code of the company.
  package var company: String
  package var name: String?
  package var email: String?
  /// Never fetched, only passed on.
  package var avatarURL: String?
  package var isExpert: Bool
  /// Whether the user came by an invitation: a guest of the company.
  package var isInvited: Bool
  package var identifiedAt: WallTime

  package init(
    id: String, externalID: String, company: String, name: String? = nil, email: String? = nil,
    avatarURL: String? = nil, isExpert: Bool = false, isInvited: Bool = false, identifiedAt: WallTime
  ) {
    self.id = id
    self.externalID = externalID
    self.company = company
    self.name = name
    self.email = email
    self.avatarURL = avatarURL
    self.isExpert = isExpert
    self.isInvited = isInvited
    self.identifiedAt = identifiedAt
  }
}

/// What a login says of a user; nil for what it does not.
package struct StreemLogin: Hashable, Sendable {
  package var company: String
  package var externalID: String
  /// What the user is called by the platform if this makes one.
  package var newID: String
  package var name: String?
  package var email: String?
  package var avatarURL: String?
  package var isExpert: Bool?
  /// Whether this is an invitation's login. It makes the user a guest, which nothing else does or undoes.
  package var isInvited: Bool

  package init(
    company: String, externalID: String, newID: String, name: String? = nil, email: String? = nil,
    avatarURL: String? = nil, isExpert: Bool? = nil, isInvited: Bool = false
  ) {
    self.company = company
    self.externalID = externalID
    self.newID = newID
    self.name = name
    self.email = email
    self.avatarURL = avatarURL
    self.isExpert = isExpert
    self.isInvited = isInvited
  }
}
