// From the open socket to the first accepted token.

extension Session {
  mutating func handleAwaiting(
    _ event: SessionEvent, until: Instant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .received(.credentials(let credentials, let request)):
      rememberLogin(request)
      move(to: .authenticating(attempt: verify(credentials, into: &effects), until: until))
    case .received(.command(_, let request)), .received(.logout(let request)):
      refuse(.connectionRequired, request: request, into: &effects)
    case .received(.ping(let request)):
      effects.append(.send(.pong(request: request)))
    case .malformed(let error):
      handleMalformed(error, at: now, into: &effects)
    case .drain:
      close(.serviceRestart, at: now, into: &effects)
    case .verified, .renewed, .wakeUp, .expireNow, .askForRefresh, .revoked:
      return
    case .disconnect, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleEnding(event, at: now, into: &effects)
    }
  }

  mutating func handleAuthenticating(
    _ event: SessionEvent, attempt: UInt32, until: Instant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .verified(attempt, let verdict):
      if case .success(let acceptance) = verdict, let wanted = acceptance.token.wants {
        keepWaiting(for: wanted, acceptance, until: until, at: now, into: &effects)
      } else {
        logIn(verdict, openedAt: until - policy.loginTimeout, at: now, into: &effects)
      }
    case .received(.credentials(_, let request)):
      refuse(.alreadyInProgress, request: request, into: &effects)
    case .received(.command(_, let request)), .received(.logout(let request)):
      refuse(.connectionRequired, request: request, into: &effects)
    case .received(.ping(let request)):
      effects.append(.send(.pong(request: request)))
    case .malformed(let error):
      handleMalformed(error, at: now, into: &effects)
    case .drain:
      close(.serviceRestart, at: now, into: &effects)
    case .verified, .renewed, .wakeUp, .expireNow, .askForRefresh, .revoked:
      return
    case .disconnect, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleEnding(event, at: now, into: &effects)
    }
  }

  /// Continues to wait for credentials: the presented ones do not suffice for a login. They do not extend the login
  /// timeout, and too many of them end the session as refused ones do.
  private mutating func keepWaiting(
    for wanted: GatewayError, _ acceptance: Acceptance, until: Instant, at now: Instant,
    into effects: inout [SessionEffect]
  ) {
    let request = loginRequest
    rememberLogin(nil)
    keepNotes(of: acceptance)
    effects.append(.send(.error(wanted, request: request)))
    if countRefusal() {
      close(.tooManyFailures, at: now, into: &effects)
    } else {
      move(to: .awaitingCredentials(until: until))
    }
  }

  private mutating func logIn(
    _ verdict: Result<Acceptance, GatewayError>, openedAt: Instant, at now: Instant,
    into effects: inout [SessionEffect]
  ) {
    let request = loginRequest
    rememberLogin(nil)
    switch verdict {
    case .success(let acceptance) where acceptance.token.kind == .anonymous && !policy.admitsAnonymous:
      refuseLogin(
        .anonymousRefused, .anonymousRefused, request, until: openedAt + policy.loginTimeout, at: now, into: &effects)
    case .success(let acceptance):
      keepNotes(of: acceptance)
      let grant = Grant(acceptance, policy: policy, now: now)
      effects.append(.record(.loggedIn(grant.kind, after: now - openedAt)))
      effects.append(
        .send(
          .connected(
            id, user: grant.user, kind: grant.kind, expiresIn: grant.remaining(at: now), request: request,
            welcome: acceptance.token.welcome)))
      activate(grant)
    case .failure(let error):
      // A token that cannot be judged now is not refused: it may be accepted a moment later.
      var reason = error.isUnjudged ? CloseReason.overloaded : .invalidToken
      if case .close(let own)? = error.consequence { reason = own }
      refuseLogin(error, reason, request, until: openedAt + policy.loginTimeout, at: now, into: &effects)
    }
  }

  private mutating func refuseLogin(
    _ error: GatewayError, _ reason: CloseReason, _ request: RequestID?, until: Instant,
    at now: Instant, into effects: inout [SessionEffect]
  ) {
    effects.append(.record(.loginRefused(error)))
    effects.append(.send(.loginRefused(error, request: request)))
    if policy.keepsSocketAtEnd, reason == .invalidToken, !countRefusal() {
      move(to: .awaitingCredentials(until: until))
    } else if policy.refusalLinger > .zero {
      move(to: .refused(reason, until: now + policy.refusalLinger))
    } else {
      close(reason, at: now, into: &effects)
    }
  }
}

extension Grant {
  /// Returns the token's remaining life; nil if it never expires.
  func remaining(at now: Instant) -> Duration? {
    expiresAt == .distantFuture ? nil : max(.zero, expiresAt - now)
  }
}
