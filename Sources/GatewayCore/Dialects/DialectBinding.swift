/// A wire format as one gateway serves it: the dialect together with who judges its tokens, who does its commands, and
/// the times of its sessions. A vendor has one for video and one for chat, say.
///
/// A class because every connection holds on to its own, and copies would cost each of them 300 bytes.
package final class DialectBinding: Sendable {
  package let dialect: any Dialect
  /// Speaks to peers whose first message is a JSON object in text; nil for ``dialect`` as to all others.
  package let jsonDialect: (any Dialect)?
  package let authenticator: any Authenticator
  /// The times its sessions keep to; nil for the gateway's.
  package var session: SessionPolicy? { sharedPolicy?.policy }
  /// The same, as the sessions hold it.
  package let sharedPolicy: SharedSessionPolicy?
  /// What is done about silent peers; nil for what the gateway does.
  package let liveness: Liveness?
  /// How long what its tokens buy is good.
  package let times: TokenTimes
  /// Does what clients of this wire ask for; nil if it has no commands.
  package let commands: (any CommandHandler)?
  /// Hears of logins that end, and of those that begin if it likes; nil if nobody wants to.
  package let observer: (any ConnectionObserver)?
  /// Where ``commands`` and ``observer`` are run; nil for the connection's loop.
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

  // With each message a connection asks these of the binding: a value behind a protocol that a class hands out is a copy.

  /// Whether peers that speak JSON have a dialect of their own.
  package var hasJSONDialect: Bool { jsonDialect != nil }

  /// The dialect for a peer whose first message is a JSON object in text, or is none.
  package func dialect(forJSON isJSON: Bool) -> any Dialect {
    if isJSON, let jsonDialect { jsonDialect } else { dialect }
  }

  /// What the authenticator says of credentials; see ``Authenticator/judge(_:of:at:)``.
  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    authenticator.judge(credentials, of: bearer, at: now)
  }

  /// The same for everything but who speaks, and who judges.
  package func replacing(
    dialect: any Dialect, jsonDialect: (any Dialect)?, authenticator: any Authenticator
  ) -> DialectBinding {
    DialectBinding(
      dialect, authenticator, session: session, liveness: liveness, times: times, commands: commands,
      observer: observer, home: home, jsonDialect: jsonDialect)
  }

  /// Whether all its peers are asked for another token in the same words; see ``Dialect/asksAllAlike``.
  package var asksAllAlike: Bool { jsonDialect == nil && dialect.asksAllAlike }
}

/// The rule for a peer that says nothing: after 25 s it is pinged, and 10 s later it counts as gone, for instance.
package enum Liveness: Hashable, Sendable {
  /// It is pinged after so long a silence, and counts as gone when it stays silent for `timeout` after that.
  case ping(after: Duration, timeout: Duration)
  /// It counts as gone after so long a silence, and is not pinged: pongs of its transport would keep a dead
  /// application alive.
  case silence(Duration)
  /// Nothing.
  case none
}
