// Draining, the time between a refused login and the close, and the closing handshake.

extension Session {
  /// Announces the close, and moves to draining. The gateway requests no more tokens while it drains. Draining
  /// therefore ends at the latest when the refresh timeout after the token's expiry is over, or when a pending refresh
  /// request times out.
  mutating func drain(
    _ grant: Grant, until wanted: Instant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    let bound = grant.expiresAt + policy.refreshTimeout
    let until = max(now, min(wanted, bound, latestEnd ?? bound))
    effects.append(.send(.closing(.serviceRestart, delay: until - now)))
    move(to: .draining(grant, until: until))
  }

  /// The time at which the session ends by itself if nothing else happens; nil if it is not known.
  private var latestEnd: Instant? {
    switch phase {
    case .refreshing(_, let wait), .verifyingRefresh(_, _, let wait?, _): wait.until
    case .draining(_, let until): until
    case .awaitingCredentials, .authenticating, .refused, .active, .verifyingRefresh, .closing, .closed: nil
    }
  }

  mutating func handleDraining(
    _ event: SessionEvent, _ grant: Grant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .received(.credentials(_, let request)):
      refuse(.draining, request: request, into: &effects)
    case .revoked:
      close(.tokenRevoked, at: now, into: &effects)
    case .expireNow:
      close(.serviceRestart, at: now, into: &effects)
    case .drain(let until):
      // A second order may bring the end forward, never postpone it.
      if let end = latestEnd, until < end { drain(grant, until: until, at: now, into: &effects) }
    case .verified, .renewed, .wakeUp, .askForRefresh:
      return
    case .received, .malformed, .disconnect, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleLoggedIn(event, grant, at: now, into: &effects)
    }
  }

  mutating func handleRefused(
    _ event: SessionEvent, _ reason: CloseReason, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .drain:
      close(reason, at: now, into: &effects)
    case .received, .malformed, .verified, .renewed, .wakeUp, .expireNow, .askForRefresh, .revoked:
      return
    case .disconnect, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleEnding(event, at: now, into: &effects)
    }
  }

  mutating func handleClosing(_ event: SessionEvent, _ reason: CloseReason, into effects: inout [SessionEffect]) {
    switch event {
    case .peerClosed, .transportLost:
      end(reason, into: &effects)
    case .received, .malformed, .verified, .renewed, .wakeUp, .expireNow, .askForRefresh, .revoked, .disconnect,
      .drain, .slowConsumer, .peerSilent:
      return
    }
  }

  /// Handles the events that end the session in any open phase.
  mutating func handleEnding(_ event: SessionEvent, at now: Instant, into effects: inout [SessionEffect]) {
    switch event {
    case .disconnect(let reason): close(reason, at: now, into: &effects)
    case .slowConsumer: close(.slowConsumer, at: now, into: &effects)
    case .peerSilent: close(.livenessTimeout, at: now, into: &effects)
    case .peerClosed: end(.peerClosed, into: &effects)
    case .transportLost: end(.connectionLost, into: &effects)
    case .received, .malformed, .verified, .renewed, .wakeUp, .expireNow, .askForRefresh, .revoked, .drain: return
    }
  }
}
