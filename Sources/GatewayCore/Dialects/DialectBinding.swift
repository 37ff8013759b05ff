/// A wire format as one gateway serves it: the dialect, its authenticator, its command handler, and the times of its
/// sessions.
///
/// It is a class because every connection references its binding, and copies would take 300 bytes each.
package final class DialectBinding: Sendable {
  package let dialect: any Dialect
  /// The dialect for peers whose first message is a JSON object in text; nil if ``dialect`` is used for all peers.
  package let jsonDialect: (any Dialect)?
  package let authenticator: any Authenticator
  /// The times of its sessions; nil for the gateway's.
  package var session: SessionPolicy? { sharedPolicy?.policy }
  /// The same policy, as the sessions store it.
  package let sharedPolicy: SharedSessionPolicy?
  /// The rule for silent peers; nil for the gateway's.
  package let liveness: Liveness?
  /// The times of its tokens and of the sessions that they open.
  package let times: TokenTimes
  /// The handler of its clients' commands; nil if it has no commands.
  package let commands: (any CommandHandler)?
  /// The observer of its logins; nil if there is none.
  package let observer: (any ConnectionObserver)?
  /// The executor of ``commands`` and ``observer``; nil for the connection's loop.
  package let home: Home?

  package init(
    _ dialect: any Dialect, _ authenticator: any Authenticator, session: SessionPolicy? = nil,
    liveness: Liveness? = nil, times: TokenTimes = TokenTimes(), commands: (any CommandHandler)? = nil,
    observer: (any ConnectionObserver)? = nil, home: Home? = nil, jsonDialect: (any Dialect)? = nil
  ) {
    self.dialect = dialect
    self.jsonDialect = jsonDialect
    self.authenticator = authenticator
    sharedPolicy = session.map { SharedSessionPolicy($0) }
    self.liveness = liveness
    self.times = times
    self.commands = commands
    self.observer = observer
    self.home = home
  }

  // A connection calls these methods for each message. They avoid a copy: reading a class's property of a protocol type
  // copies the value.

  /// Whether peers that speak JSON have their own dialect.
  package var hasJSONDialect: Bool { jsonDialect != nil }

  /// Returns the dialect for a peer, by whether its first message is a JSON object in text.
  package func dialect(forJSON isJSON: Bool) -> any Dialect {
    if isJSON, let jsonDialect { jsonDialect } else { dialect }
  }

  /// Verifies credentials; see ``Authenticator/judge(_:of:at:)``.
  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    authenticator.judge(credentials, of: bearer, at: now)
  }

  /// Returns the same binding with other dialects and another authenticator.
  package func replacing(
    dialect: any Dialect, jsonDialect: (any Dialect)?, authenticator: any Authenticator
  ) -> DialectBinding {
    DialectBinding(
      dialect, authenticator, session: session, liveness: liveness, times: times, commands: commands,
      observer: observer, home: home, jsonDialect: jsonDialect)
  }

  /// Returns the same binding with another authenticator and another handler of its commands.
  package func replacing(
    authenticator: any Authenticator, commands: (any CommandHandler)?
  ) -> DialectBinding {
    DialectBinding(
      dialect, authenticator, session: session, liveness: liveness, times: times, commands: commands,
      observer: observer, home: home, jsonDialect: jsonDialect)
  }

  /// Whether all peers receive the same bytes as a refresh request; see ``Dialect/asksAllAlike``.
  package var asksAllAlike: Bool { jsonDialect == nil && dialect.asksAllAlike }
}

/// A rule for a peer that sends nothing.
package enum Liveness: Hashable, Sendable {
  /// The peer is pinged after this silence, and counts as disconnected after a further silence of `timeout`.
  case ping(after: Duration, timeout: Duration)
  /// The peer counts as disconnected after this silence, and is not pinged: its transport's pongs would keep a dead
  /// application connected.
  case silence(Duration)
  /// Silence has no effect.
  case none
}
