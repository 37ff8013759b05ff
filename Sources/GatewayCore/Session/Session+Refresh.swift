// From an accepted token to the next one, or to the time-out.

extension Session {
  /// Makes the session active. A token that is due already is asked for at once, as every deadline that has passed.
  mutating func activate(_ grant: Grant) {
    forgetRefusals()
    move(to: .active(grant))
  }

  /// Sends the refresh request.
  mutating func ask(_ grant: Grant, _ cause: RefreshCause, at now: Instant, into effects: inout [SessionEffect]) {
    let wait = makeWait(grant, cause, at: now, isTold: true)
    move(to: .refreshing(grant, wait))
    tell(wait, at: now, into: &effects)
  }

  /// The time-out counts from the request, but never from later than expiry: a gateway that wakes up late gives nobody
  /// more time than documented.
  func makeWait(_ grant: Grant, _ cause: RefreshCause, at now: Instant, isTold: Bool) -> RefreshWait {
    RefreshWait(askedAt: now, until: min(now, grant.expiresAt) + policy.refreshTimeout, cause: cause, isTold: isTold)
  }

  private func tell(_ wait: RefreshWait, at now: Instant, into effects: inout [SessionEffect]) {
    effects.append(.record(.refreshRequested(wait.cause)))
    effects.append(.send(.refreshRequired(wait.cause, timeout: max(.zero, wait.until - now))))
  }

  mutating func handleActive(
    _ event: SessionEvent, _ grant: Grant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .received(.credentials(let credentials, let request)):
      let attempt = verify(credentials, into: &effects)
      move(to: .verifyingRefresh(attempt: attempt, grant, nil, request: request))
    case .expireNow:
      // Due now, as every deadline that has passed.
      move(to: .active(grant.expired(at: now)))
    case .askForRefresh:
      ask(grant, .request, at: now, into: &effects)
    case .revoked:
      switch policy.revocation {
      case .refresh: ask(grant, .revocation, at: now, into: &effects)
      case .close: end(grant, .tokenRevoked, at: now, into: &effects)
      }
    case .renewed(let acceptance):
      if let next = renew(acceptance, grant, nil, at: now, into: &effects) { activate(next) }
    case .verified, .wakeUp:
      return
    case .received, .malformed, .disconnect, .drain, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleLoggedIn(event, grant, at: now, into: &effects)
    }
  }

  mutating func handleRefreshing(
    _ event: SessionEvent, _ grant: Grant, _ wait: RefreshWait, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .received(.credentials(let credentials, let request)):
      let attempt = verify(credentials, into: &effects)
      move(to: .verifyingRefresh(attempt: attempt, grant, wait, request: request))
    case .expireNow:
      // One request for each expiry, and it has been sent; its time-out ends before this expiry's would.
      move(to: .refreshing(grant.expired(at: now), wait))
    case .revoked where policy.revocation == .close:
      end(grant, .tokenRevoked, at: now, into: &effects)
    case .renewed(let acceptance):
      if let next = renew(acceptance, grant, wait, at: now, into: &effects) { activate(next) }
    case .askForRefresh, .revoked, .verified, .wakeUp:
      return
    case .received, .malformed, .disconnect, .drain, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleLoggedIn(event, grant, at: now, into: &effects)
    }
  }

  mutating func handleVerifyingRefresh(
    _ event: SessionEvent, _ attempt: UInt32, _ grant: Grant, _ wait: RefreshWait?, _ request: RequestID?,
    at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .verified(attempt, let verdict):
      judgeRefresh(verdict, grant, wait, request, at: now, into: &effects)
    case .received(.credentials(_, let request)):
      refuse(.alreadyInProgress, request: request, into: &effects)
    case .expireNow:
      move(to: .verifyingRefresh(attempt: attempt, grant.expired(at: now), wait, request: request))
    case .askForRefresh, .revoked:
      if case .revoked = event, policy.revocation == .close {
        end(grant, .tokenRevoked, at: now, into: &effects)
      } else if wait == nil {
        let cause = event == .revoked ? RefreshCause.revocation : .request
        let wait = makeWait(grant, cause, at: now, isTold: false)
        move(to: .verifyingRefresh(attempt: attempt, grant, wait, request: request))
      }
    case .renewed(let acceptance):
      if let next = renew(acceptance, grant, wait, at: now, into: &effects) {
        forgetRefusals()
        move(to: .verifyingRefresh(attempt: attempt, next, nil, request: request))
      }
    case .verified, .wakeUp:
      return
    case .received, .malformed, .disconnect, .drain, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleLoggedIn(event, grant, at: now, into: &effects)
    }
  }

  /// The grant of a token that was accepted elsewhere; nil if it may not take the place of the session's own.
  private mutating func renew(
    _ acceptance: Acceptance, _ grant: Grant, _ wait: RefreshWait?, at now: Instant,
    into effects: inout [SessionEffect]
  ) -> Grant? {
    guard acceptance.isOfIdentity(in: grant),
      case .success = accept(acceptance, after: grant, isDue: wait != nil, at: now)
    else { return nil }
    keepNotes(of: acceptance)
    effects.append(.record(.refreshed(after: wait.flatMap { $0.isTold ? now - $0.askedAt : nil })))
    return Grant(acceptance, policy: policy, now: now)
  }

  private mutating func judgeRefresh(
    _ verdict: Result<Acceptance, GatewayError>, _ grant: Grant, _ wait: RefreshWait?, _ request: RequestID?,
    at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch verdict.flatMap({ accept($0, after: grant, isDue: wait != nil, at: now) }) {
    case .success(let acceptance) where !acceptance.isOfIdentity(in: grant):
      changeIdentity(acceptance, from: grant, request, at: now, into: &effects)
    case .success(let acceptance):
      keepNotes(of: acceptance)
      let next = Grant(acceptance, policy: policy, now: now)
      let told = wait.flatMap { $0.isTold ? now - $0.askedAt : nil }
      effects.append(.record(.refreshed(after: told)))
      effects.append(
        .send(.refreshed(expiresIn: next.remaining(at: now), request: request, welcome: acceptance.token.welcome)))
      activate(next)
    case .failure(let error):
      effects.append(.record(.refreshRefused(error)))
      refuse(error, request: request, into: &effects)
      // A token that cannot be judged just now is no refused one: the client tries again while it has time.
      if !error.isSame(as: .storeUnavailable), countRefusal() || policy.endsAtRefusedRefresh {
        end(grant, .tooManyFailures, at: now, into: &effects)
      } else {
        resume(grant, wait, at: now, into: &effects)
      }
    }
  }

  /// Logs the user out, and whom the token names in.
  private mutating func changeIdentity(
    _ acceptance: Acceptance, from grant: Grant, _ request: RequestID?, at now: Instant,
    into effects: inout [SessionEffect]
  ) {
    let next = Grant(acceptance, policy: policy, now: now)
    leave(grant, request: nil, into: &effects)
    keepNotes(of: acceptance)
    effects.append(.record(.loggedIn(next.kind, after: .zero)))
    effects.append(
      .send(
        .connected(
          id, user: next.user, kind: next.kind, expiresIn: next.remaining(at: now), request: request,
          welcome: acceptance.token.welcome)))
    activate(next)
  }

  /// Whether a good token may take the place of the session's own: the same user in the same kind or, by the policy,
  /// anybody who may be let in; some life in it, and, when a refresh is due, another token.
  private func accept(
    _ acceptance: Acceptance, after grant: Grant, isDue: Bool, at now: Instant
  ) -> Result<Acceptance, GatewayError> {
    // What does not let a user in does not keep one in either.
    if let wanted = acceptance.token.wants { return .failure(wanted) }
    guard policy.allowsIdentityChange || acceptance.isOfIdentity(in: grant) else { return .failure(.userMismatch) }
    guard acceptance.token.kind != .anonymous || policy.admitsAnonymous else { return .failure(.anonymousRefused) }
    guard !isDue || grant.renewal == .sessionEnd || acceptance.token.fingerprint != grant.fingerprint else {
      return .failure(.tokenNotRenewed)
    }
    guard acceptance.expiresAt > now else { return .failure(.tokenExpired) }
    return .success(acceptance)
  }

  /// Back to where the refused token found the session, with the request that was held back.
  private mutating func resume(
    _ grant: Grant, _ wait: RefreshWait?, at now: Instant, into effects: inout [SessionEffect]
  ) {
    guard var wait else { return move(to: .active(grant)) }
    if !wait.isTold {
      wait.isTold = true
      tell(wait, at: now, into: &effects)
    }
    move(to: .refreshing(grant, wait))
  }
}

extension Acceptance {
  /// Whether the token is of the user, in the kind, that the session is logged in as.
  fileprivate func isOfIdentity(in grant: Grant) -> Bool {
    token.user == grant.user && token.kind == grant.kind
  }
}
