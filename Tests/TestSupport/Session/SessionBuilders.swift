package import GatewayCore

extension Instant {
  /// Returns the instant that many seconds after the start.
  package static func seconds(_ seconds: Int64) -> Instant {
    .zero + .seconds(seconds)
  }
}

extension TokenFingerprint {
  /// Returns the fingerprint of the test token with that number.
  package static func number(_ number: UInt64) -> TokenFingerprint {
    TokenFingerprint(high: 0, low: number)
  }
}

extension Acceptance {
  /// Returns the acceptance of the test token with that number; `expiresAt` in seconds, nil for never.
  package static func token(
    _ number: UInt64 = 1, user: String = "ann", kind: UserKind = .regular, expiresAt: Int64?, share: Double = 0
  ) -> Acceptance {
    Acceptance(
      VerifiedToken(
        user: kind == .anonymous ? .anonymous : UserID(user), kind: kind, fingerprint: .number(number)),
      expiresAt: expiresAt.map { .seconds($0) } ?? .distantFuture, spreadShare: share)
  }

  /// Returns the acceptance of a token with the changes of `change`.
  package func with(expiresAt: Instant? = nil, _ change: (inout VerifiedToken) -> Void = { _ in }) -> Acceptance {
    var token = token
    change(&token)
    return Acceptance(token, expiresAt: expiresAt ?? self.expiresAt, spreadShare: spreadShare)
  }
}

extension SessionEvent {
  /// Returns a message with a token.
  package static func credentials(_ token: String = "token", request: String? = nil) -> SessionEvent {
    .received(.credentials(Credentials(token: token), request: request.map { RequestID($0) }))
  }

  /// Returns a message that asks to join a call.
  package static func join(_ cid: String = "default:standup", request: String? = nil) -> SessionEvent {
    .received(.command(Command("join", CallID(cid: cid)!), request: request.map { RequestID($0) }))
  }

  /// Returns the verdict that a token is valid.
  package static func accepted(_ attempt: UInt32, _ acceptance: Acceptance) -> SessionEvent {
    .verified(attempt: attempt, .success(acceptance))
  }

  /// Returns the verdict that a token is invalid.
  package static func refused(_ attempt: UInt32, _ error: GatewayError = .signatureInvalid) -> SessionEvent {
    .verified(attempt: attempt, .failure(error))
  }
}

/// A session with its events, one after another.
package struct SessionScript {
  package private(set) var session: Session

  /// Creates a session whose socket opens at zero.
  package init(_ policy: SessionPolicy = try! SessionPolicy()) {
    session = Session(id: ConnectionID(loop: 0, serial: 1), policy: SharedSessionPolicy(policy), now: .zero)
  }

  /// Creates a session that logged in at zero with token 1 of the regular user `ann`, which expires after that many
  /// seconds.
  package init(loggedInUntil expiresAt: Int64?, _ policy: SessionPolicy = try! SessionPolicy()) {
    self.init(policy)
    _ = at(0, .credentials())
    _ = at(0, .accepted(1, .token(expiresAt: expiresAt)))
  }

  /// Returns the session's effects for `event` at that many seconds.
  package mutating func at(_ seconds: Int64, _ event: SessionEvent) -> [SessionEffect] {
    at(Instant.seconds(seconds), event)
  }

  /// Returns the session's effects for `event` at `now`.
  package mutating func at(_ now: Instant, _ event: SessionEvent) -> [SessionEffect] {
    var effects: [SessionEffect] = []
    session.handle(event, at: now, into: &effects)
    return effects
  }
}
