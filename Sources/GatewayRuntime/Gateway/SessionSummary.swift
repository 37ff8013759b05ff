package import GatewayCore

/// One session as an operator sees it: connection, user, phase, expiry. Contains no token.
package struct SessionSummary: Hashable, Sendable {
  package var id: ConnectionID
  package var dialect: String
  package var phase: String
  package var user: UserID?
  package var kind: UserKind?
  package var fingerprint: TokenFingerprint?
  /// Until the token expires; negative if it has; nil if it never does, or before login.
  package var expiresIn: Duration?
  /// Until the session does something by itself; nil if it never will.
  package var deadlineIn: Duration?
  package var age: Duration
  /// The time since the last message of the peer.
  package var silence: Duration
  package var calls: [CallID]
  package var peer: String

  package init(
    id: ConnectionID, dialect: String, phase: String, user: UserID? = nil, kind: UserKind? = nil,
    fingerprint: TokenFingerprint? = nil, expiresIn: Duration? = nil, deadlineIn: Duration? = nil, age: Duration,
    silence: Duration, calls: [CallID], peer: String
  ) {
    (self.id, self.dialect, self.phase, self.user, self.kind) = (id, dialect, phase, user, kind)
    (self.fingerprint, self.expiresIn, self.deadlineIn) = (fingerprint, expiresIn, deadlineIn)
    (self.age, self.silence, self.calls, self.peer) = (age, silence, calls, peer)
  }
}
