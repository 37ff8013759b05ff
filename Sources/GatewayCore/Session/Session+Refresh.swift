// From an accepted token to the next one, or to the timeout.

extension Session {
  /// Makes the session active. If a refresh is already due it is requested at once, as is every deadline that has
  /// passed.
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

  /// Returns the wait for the answer to a refresh request. The timeout counts from the request, or from expiry if that
  /// is earlier: a gateway that wakes up late gives no client more time than documented.
  func makeWait(_ grant: Grant, _ cause: RefreshCause, at now: Instant, isTold: Bool) -> RefreshWait {
    let countsFromExpiry =
      policy.countsTimeoutFromExpiry && cause != .revocation && grant.expiresAt != .distantFuture
    let start = countsFromExpiry ? grant.expiresAt : min(now, grant.expiresAt)
    return RefreshWait(askedAt: now, until: start + policy.refreshTimeout, cause: cause, isTold: isTold)
  }

  /// Returns the wait with a new timeout, because the last token could not be judged; nil if it was, or if the outage has
  /// lasted too long. The timeout counts from the end of the wait before.
  func prolong(_ wait: RefreshWait, _ grant: Grant, at now: Instant) -> RefreshWait? {
    guard wait.isUnjudged else { return nil }
    var wait = wait
    wait.until = min(wait.until + policy.refreshTimeout, outageEnd(wait, grant))
    wait.isUnjudged = false
    return wait.until > now ? wait : nil
  }

  /// Returns the wait after a verdict that its token cannot be verified now: the timeout begins again. It is not
  /// extended for a revoked token.
  private func postpone(_ wait: RefreshWait, _ grant: Grant, at now: Instant) -> RefreshWait {
    guard wait.cause != .revocation else { return wait }
    var wait = wait
    wait.until = max(wait.until, min(now + policy.refreshTimeout, outageEnd(wait, grant)))
    wait.isUnjudged = true
    return wait
  }

  private func outageEnd(_ wait: RefreshWait, _ grant: Grant) -> Instant {
    min(wait.askedAt, grant.expiresAt) + policy.outageMax
  }

  func tell(_ wait: RefreshWait, at now: Instant, into effects: inout [SessionEffect]) {
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
      // The refresh is due now, as is every deadline that has passed.
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
      // Each expiry has one request, and it has been sent. Its timeout ends before the timeout of this expiry would.
      move(to: .refreshing(grant.expired(at: now), wait))
    case .revoked where policy.revocation == .close:
      end(grant, .tokenRevoked, at: now, into: &effects)
    case .revoked:
      move(to: .refreshing(grant, wait.revoked))
    case .renewed(let acceptance):
      if let next = renew(acceptance, grant, wait, at: now, into: &effects) { activate(next) }
    case .askForRefresh, .verified, .wakeUp:
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
      } else if case .revoked = event {
        move(to: .verifyingRefresh(attempt: attempt, grant, wait?.revoked, request: request))
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

  /// Returns the grant of a token that was accepted elsewhere; nil if it may not replace the session's own.
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
      if case .close(let reason)? = error.consequence { return close(reason, at: now, into: &effects) }
      // A token that cannot be judged now is not refused: the client may try again.
      if error.isUnjudged {
        resume(grant, wait.map { postpone($0, grant, at: now) }, at: now, into: &effects)
      } else if countRefusal() || policy.endsAtRefusedRefresh {
        end(grant, .tooManyFailures, at: now, into: &effects)
      } else if wait == nil, error.consequence == .ask {
        ask(grant, .request, at: now, into: &effects)
      } else {
        resume(grant, wait.map(\.judged), at: now, into: &effects)
      }
    }
  }

  /// Logs out the session's user, and logs in the user that the token names.
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

  /// Checks whether an accepted token may replace the session's own. It must suffice for a login, and name the same
  /// user and kind unless the policy allows another identity. It must not have expired. If a refresh is due, it must be
  /// another token, unless the cause is the session's own end.
  private func accept(
    _ acceptance: Acceptance, after grant: Grant, isDue: Bool, at now: Instant
  ) -> Result<Acceptance, GatewayError> {
    // Credentials that do not suffice for a login do not suffice for a refresh either.
    if let wanted = acceptance.token.wants { return .failure(wanted) }
    guard policy.allowsIdentityChange || acceptance.isOfIdentity(in: grant) else { return .failure(.userMismatch) }
    guard acceptance.token.kind != .anonymous || policy.admitsAnonymous else { return .failure(.anonymousRefused) }
    guard !isDue || grant.renewal == .sessionEnd || acceptance.token.fingerprint != grant.fingerprint else {
      return .failure(.tokenNotRenewed)
    }
    guard acceptance.expiresAt > now else { return .failure(.tokenExpired) }
    return .success(acceptance)
  }

  /// Returns to the phase before the refused token, and sends a refresh request that was held back.
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

extension Session.RefreshWait {
  /// The same wait after a token that was refused.
  fileprivate var judged: Self {
    var wait = self
    wait.isUnjudged = false
    return wait
  }

  /// The same wait for a token that was revoked in between: an outage does not extend its time.
  fileprivate var revoked: Self {
    var wait = judged
    wait.cause = .revocation
    return wait
  }
}

extension Acceptance {
  /// Returns whether the token has the user and the kind that the session is logged in as.
  fileprivate func isOfIdentity(in grant: Grant) -> Bool {
    token.user == grant.user && token.kind == grant.kind
  }
}
