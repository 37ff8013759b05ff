// What every logged-in phase does alike, draining, and the closing handshake.

extension Session {
  /// The events that mean the same to every logged-in phase.
  mutating func handleLoggedIn(
    _ event: SessionEvent, _ grant: Grant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .received(.command(let command, let request)):
      effects.append(.perform(command, user: grant.user, request: request))
    case .received(.ping(let request)):
      effects.append(.send(.pong(request: request)))
    case .received(.logout(let request)):
      logOut(grant, request: request, at: now, into: &effects)
    case .malformed(let error):
      handleMalformed(error, at: now, into: &effects)
    case .drain(let until):
      drain(grant, until: until, at: now, into: &effects)
    case .disconnect, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleEnding(event, at: now, into: &effects)
    case .received(.credentials), .verified, .renewed, .wakeUp, .expireNow, .askForRefresh, .revoked:
      return
    }
  }

  /// Back to before the login, with the time that one has. A token that is being judged is judged in vain.
  private mutating func logOut(
    _ grant: Grant, request: RequestID?, at now: Instant, into effects: inout [SessionEffect]
  ) {
    leave(grant, request: request, into: &effects)
    if case .draining = phase { return close(.serviceRestart, at: now, into: &effects) }
    move(to: .awaitingCredentials(until: now + policy.loginTimeout))
  }

  /// Ends the identity, not the connection.
  mutating func leave(_ grant: Grant, request: RequestID?, into effects: inout [SessionEffect]) {
    effects.append(.logOut)
    effects.append(.send(.loggedOut(user: grant.user, request: request)))
    forgetRefusals()
    forgetNotes()
  }

  /// Tells the client when it will be closed. Draining asks for no more tokens, so it must outlive neither the one there
  /// is nor a refresh request that waits.
  private mutating func drain(
    _ grant: Grant, until wanted: Instant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    let bound = grant.expiresAt + policy.refreshTimeout
    let until = max(now, min(wanted, bound, latestEnd ?? bound))
    effects.append(.send(.closing(.serviceRestart, delay: until - now)))
    move(to: .draining(grant, until: until))
  }

  /// When the session ends by itself, if nothing more happens and that is known.
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
      // A second order may bring the end nearer, never put it off.
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

  /// The events that end the session in any open phase.
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
