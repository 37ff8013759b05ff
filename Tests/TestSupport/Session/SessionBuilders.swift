package import GatewayCore

extension Instant {
  /// The instant that many seconds after the start of the line.
  package static func seconds(_ seconds: Int64) -> Instant {
    .zero + .seconds(seconds)
  }
}

extension TokenFingerprint {
  /// The fingerprint of the test's token of that number.
  package static func number(_ number: UInt64) -> TokenFingerprint {
    TokenFingerprint(high: 0, low: number)
  }
}

extension Acceptance {
  /// The acceptance of the test's token of that number; `expiresAt` in seconds on the line, nil for never.
  package static func token(
    _ number: UInt64 = 1, user: String = "ann", kind: UserKind = .regular, expiresAt: Int64?, share: Double = 0
  ) -> Acceptance {
    Acceptance(
      VerifiedToken(
        user: kind == .anonymous ? .anonymous : UserID(user), kind: kind, fingerprint: .number(number)),
      expiresAt: expiresAt.map { .seconds($0) } ?? .distantFuture, spreadShare: share)
  }

  /// The acceptance of a token that differs from this one's in what `change` does.
  package func with(expiresAt: Instant? = nil, _ change: (inout VerifiedToken) -> Void = { _ in }) -> Acceptance {
    var token = token
    change(&token)
    return Acceptance(token, expiresAt: expiresAt ?? self.expiresAt, spreadShare: spreadShare)
  }
}

extension SessionEvent {
  /// A message with a token.
  package static func credentials(_ token: String = "token", request: String? = nil) -> SessionEvent {
    .received(.credentials(Credentials(token: token), request: request.map { RequestID($0) }))
  }

  /// A message that asks to join a call.
  package static func join(_ cid: String = "default:standup", request: String? = nil) -> SessionEvent {
    .received(.command(Command("join", CallID(cid: cid)!), request: request.map { RequestID($0) }))
  }

  /// The judgement that a token is good.
  package static func accepted(_ attempt: UInt32, _ acceptance: Acceptance) -> SessionEvent {
    .verified(attempt: attempt, .success(acceptance))
  }

  /// The judgement that a token is not good.
  package static func refused(_ attempt: UInt32, _ error: GatewayError = .signatureInvalid) -> SessionEvent {
    .verified(attempt: attempt, .failure(error))
  }
}

/// A session and its events, one after the other.
package struct SessionScript {
  package private(set) var session: Session

  /// A session whose socket opens at zero.
  package init(_ policy: SessionPolicy = try! SessionPolicy()) {
    session = Session(id: ConnectionID(loop: 0, serial: 1), policy: SharedSessionPolicy(policy), now: .zero)
  }

  /// A session that is logged in at zero with token 1 of the regular user `ann`, which expires after that many seconds.
  package init(loggedInUntil expiresAt: Int64?, _ policy: SessionPolicy = try! SessionPolicy()) {
    self.init(policy)
    _ = at(0, .credentials())
    _ = at(0, .accepted(1, .token(expiresAt: expiresAt)))
  }

  /// What the session does about `event` at that many seconds.
  package mutating func at(_ seconds: Int64, _ event: SessionEvent) -> [SessionEffect] {
    at(Instant.seconds(seconds), event)
  }

  /// What the session does about `event` at `now`.
  package mutating func at(_ now: Instant, _ event: SessionEvent) -> [SessionEffect] {
    var effects: [SessionEffect] = []
    session.handle(event, at: now, into: &effects)
    return effects
  }
}
