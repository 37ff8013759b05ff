/// A filter that selects the logged-in sessions that an order applies to. It consists of values only, so it can be
/// compared, stored and sent to another process.
///
/// A property that is nil excludes nothing; a filter without conditions selects every session.
package struct SessionFilter: Hashable, Sendable {
  package var user: UserID?
  /// The names of the sessions' wire formats.
  package var dialects: Set<String>?
  /// The names of the sessions' connections, where they are known individually.
  package var connections: Set<ConnectionID>?
  /// A connection that is excluded.
  package var except: ConnectionID?
  /// The ``VerifiedToken/issuer`` of the session's token.
  package var issuer: Name?
  /// The fingerprint of the session's token.
  package var fingerprint: TokenFingerprint?
  /// The form of the session's token.
  package var form: TokenForm?
  /// The time before which the session's token was issued. A token without an issue date is included.
  package var issuedBefore: WallTime?
  /// Whether anonymous users are included.
  package var takesAnonymous: Bool

  package init(
    user: UserID? = nil, dialects: Set<String>? = nil, connections: Set<ConnectionID>? = nil,
    except: ConnectionID? = nil, issuer: Name? = nil, fingerprint: TokenFingerprint? = nil, form: TokenForm? = nil,
    issuedBefore: WallTime? = nil, takesAnonymous: Bool = true
  ) {
    self.user = user
    self.dialects = dialects
    self.connections = connections
    self.except = except
    self.issuer = issuer
    self.fingerprint = fingerprint
    self.form = form
    self.issuedBefore = issuedBefore
    self.takesAnonymous = takesAnonymous
  }

  /// Returns whether the filter selects the session of `connection`, which speaks `dialect` and is logged in by
  /// `grant`.
  package func takesIn(_ connection: ConnectionID, speaking dialect: String, by grant: Grant) -> Bool {
    takesIn(connection) && takesIn(grant) && dialects?.contains(dialect) ?? true
  }

  /// Returns whether the filter can select sessions of the loop with that number.
  package func mayTakeIn(loop: Int) -> Bool {
    connections?.contains { $0.loop == loop } ?? true
  }

  private func takesIn(_ connection: ConnectionID) -> Bool {
    connection != except && connections?.contains(connection) ?? true
  }

  private func takesIn(_ grant: Grant) -> Bool {
    if let user, grant.user != user { return false }
    if let issuer, grant.issuer != issuer { return false }
    if let fingerprint, grant.fingerprint != fingerprint { return false }
    if let form, grant.form != form { return false }
    if let issuedBefore, let issuedAt = grant.issuedAt, issuedAt >= issuedBefore { return false }
    return takesAnonymous || grant.kind != .anonymous
  }
}
