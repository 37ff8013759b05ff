/// The size limits of a ``PlainDirectory``.
package struct PlainDirectoryLimits: Hashable, Sendable {
  package var calls: Int
  package var membersOfCall: Int
  /// Members of all calls together.
  package var memberships: Int
  package var accessTokens: Int
  /// Processes with a prefix for guests; if there are more, the earliest is forgotten.
  package var guestSeries: Int

  package init(
    calls: Int = 100_000, membersOfCall: Int = 10_000, memberships: Int = 1_000_000, accessTokens: Int = 1_000_000,
    guestSeries: Int = 10_000
  ) {
    self.calls = calls
    self.membersOfCall = membersOfCall
    self.memberships = memberships
    self.accessTokens = accessTokens
    self.guestSeries = guestSeries
  }
}
