/// The size limits of a Streem platform's directory.
package struct StreemDirectoryLimits: Hashable, Sendable {
  package var companies: Int
  package var keys: Int
  package var users: Int
  package var invitations: Int
  /// Valid invitations of one expert.
  package var invitationsPerInviter: Int
  /// Reservations that are not canceled; as many canceled ones are stored besides.
  package var reservations: Int
  package var webhooksPerCompany: Int

  package init(
    companies: Int = 1_000, keys: Int = 10_000, users: Int = 1_000_000, invitations: Int = 100_000,
    invitationsPerInviter: Int = 1_000, reservations: Int = 100_000, webhooksPerCompany: Int = 100
  ) {
    self.companies = companies
    self.keys = keys
    self.users = users
    self.invitations = invitations
    self.invitationsPerInviter = invitationsPerInviter
    self.reservations = reservations
    self.webhooksPerCompany = webhooksPerCompany
  }
}
