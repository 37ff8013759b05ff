/// The size limits of a Streem platform's directory.
struct StreemDirectoryLimits: Hashable, Sendable {
  var companies: Int = 1_000
  var keys: Int = 10_000
  var users: Int = 1_000_000
  var invitations: Int = 100_000
  /// Valid invitations of one expert.
  var invitationsPerInviter: Int = 1_000
  /// Reservations that are not canceled; as many canceled ones are stored besides.
  var reservations: Int = 100_000
  var webhooksPerCompany: Int = 100
}
