/// A judge of credentials: whether ann is let in by the token she shows, for instance. One per application and dialect;
/// shared by all loops, so immutable.
package protocol Authenticator: Sendable {
  /// Judges what `bearer` presents as of `now`. Decides at once whatever can be decided without waiting; a verdict that
  /// needs a store is a question, whose answer comes back to the session as an event.
  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement
}

extension Authenticator {
  /// Judges credentials that come from no connection: over HTTP.
  package func judge(_ credentials: Credentials, at now: WallTime) -> Judgement {
    judge(credentials, of: Bearer(), at: now)
  }
}

/// The presenter of credentials: a connection with what is known of it, ann's that comes with another token, say, or
/// nobody but a request.
package struct Bearer: Sendable {
  /// Nil for a request over HTTP, and for an upgrade that is judged before its connection exists.
  package var connection: ConnectionID?
  /// As whom the connection is logged in; nil before its login.
  package var user: UserID?
  /// What the dialect noted of the upgrade: ``Dialect/details(of:)``.
  package var upgrade: Baggage?
  /// What the authenticator noted of the connection when it last accepted something: ``VerifiedToken/notes``.
  package var notes: Baggage?
  /// What else may speak against a token that is good by itself; nil for nothing. Whoever spends a token by accepting it asks
  /// first: one that is refused has to be as good as before.
  package var objection: Objection?

  package init(
    connection: ConnectionID? = nil, user: UserID? = nil, upgrade: Baggage? = nil, notes: Baggage? = nil,
    objection: Objection? = nil
  ) {
    self.connection = connection
    self.user = user
    self.upgrade = upgrade
    self.notes = notes
    self.objection = objection
  }

  /// Why a token is refused though it verifies: it has been revoked, for instance. Nil if it is not. Stays on the caller's
  /// loop unless it suspends.
  package typealias Objection = nonisolated(nonsending) @Sendable (VerifiedToken) async -> GatewayError?
}

/// A verdict, or the question that leads to one: a JWT is decided at once, an opaque token is looked up first, for
/// instance.
package enum Judgement: Sendable {
  case decided(Verdict)
  case pending(Question)

  /// Asks: may suspend, and stays on the caller's loop until it does.
  package typealias Question = nonisolated(nonsending) @Sendable () async -> Verdict

  /// The verdict, asked for if need be.
  package var verdict: Verdict {
    get async {
      switch self {
      case .decided(let verdict): verdict
      case .pending(let question): await question()
      }
    }
  }
}
