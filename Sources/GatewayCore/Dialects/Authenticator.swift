/// A verifier of credentials, one for each application and dialect. All loops share it, so it is immutable.
package protocol Authenticator: Sendable {
  /// Verifies the credentials that `bearer` presents at `now`. Decides at once if no waiting is needed. A verdict that
  /// needs a store is returned as a question, whose answer reaches the session as an event.
  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement
}

extension Authenticator {
  /// Verifies credentials that come from no connection, e.g. from an HTTP request.
  package func judge(_ credentials: Credentials, at now: WallTime) -> Judgement {
    judge(credentials, of: Bearer(), at: now)
  }
}

/// The presenter of credentials: a connection and the gateway's data about it, or a request without a connection.
package struct Bearer: Sendable {
  /// The connection; nil for an HTTP request, and for an upgrade that is verified before its connection exists.
  package var connection: ConnectionID?
  /// The user that the connection is logged in as; nil before its login.
  package var user: UserID?
  /// The dialect's notes on the upgrade: ``Dialect/details(of:)``.
  package var upgrade: Baggage?
  /// The authenticator's notes from the last accepted credentials of the connection: ``VerifiedToken/notes``.
  package var notes: Baggage?
  /// A further check of a token that is valid by itself; nil for none. An authenticator that consumes a token by
  /// accepting it calls the check first, so that a refused token stays usable.
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

  /// A function that returns the error for a token that verifies but is refused, e.g. a revoked one; nil to accept it.
  /// Stays on the caller's loop unless it suspends.
  package typealias Objection = nonisolated(nonsending) @Sendable (VerifiedToken) async -> GatewayError?
}

/// A verdict, or the question that leads to one. E.g. a JWT is decided at once, and an opaque token is looked up first.
package enum Judgement: Sendable {
  case decided(Verdict)
  case pending(Question)

  /// A function that returns the verdict. It may suspend, and stays on the caller's loop until it does.
  package typealias Question = nonisolated(nonsending) @Sendable () async -> Verdict

  /// The verdict; calls the question if there is one.
  package var verdict: Verdict {
    get async {
      switch self {
      case .decided(let verdict): verdict
      case .pending(let question): await question()
      }
    }
  }
}
