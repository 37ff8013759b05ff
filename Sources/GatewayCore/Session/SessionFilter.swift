/// A filter that says which logged-in sessions an order is for: ann's that speak one wire and live by a token issued
/// before noon, for instance. It is made of values only, so it can be compared, kept, and sent to another process.
///
/// What is nil leaves nobody out; a filter that says nothing takes in everybody.
package struct SessionFilter: Hashable, Sendable {
  package var user: UserID?
  /// The names of their wire formats.
  package var dialects: Set<String>?
  /// The names of their connections, where those are known one by one.
  package var connections: Set<ConnectionID>?
  /// All but this one.
  package var except: ConnectionID?
  /// ``VerifiedToken/issuer`` of the token that they live by.
  package var issuer: Name?
  /// The token that they live by.
  package var fingerprint: TokenFingerprint?
  /// What kind of thing let them in.
  package var form: TokenForm?
  /// When the token that they live by was issued: before this, or it does not say.
  package var issuedBefore: WallTime?
  /// Whether users without a name are taken in.
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

  /// Whether it takes in the session of `connection`, which speaks `dialect` and is logged in by `grant`.
  package func takesIn(_ connection: ConnectionID, speaking dialect: String, by grant: Grant) -> Bool {
    takesIn(connection) && takesIn(grant) && dialects?.contains(dialect) ?? true
  }

  /// Whether it may take in sessions of the loop of that number.
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
