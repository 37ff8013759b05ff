internal import GatewayCore

// The way from the gateway's request to the accepted token, for each behaviour.

extension ClientSession {
  /// Handles a refresh request.
  ///
  /// - Parameter told: The timeout that the gateway announced; nil for the plan's.
  mutating func asked(
    _ told: Duration?, _ means: ServerNotice.RefreshMeans, at now: Instant, into effects: inout [ClientEffect]
  ) {
    let timeout = told ?? policy.refreshTimeout
    switch phase {
    case .live:
      announcedTimeout = told
      effects.append(.record(.asked))
      var refresh = Refresh(askedAt: now, until: now + timeout, step: .silent)
      if means == .anyToken, let token, behaviour != .garbage {
        refresh.isTrial = true
        answer(refresh, with: token, at: now, into: &effects)
      } else {
        begin(refresh, at: now, into: &effects)
      }
    case .refreshing(var refresh):
      // There is one refresh at a time: the current one answers this request too.
      effects.append(.record(.askedAgain))
      refresh.until = now + timeout
      phase = .refreshing(refresh)
    case .idle, .obtaining, .waitingToObtain, .dialling, .loggingIn, .refused, .leaving, .away, .returning, .abandoned,
      .ended:
      return
    }
  }

  private mutating func begin(_ refresh: Refresh, at now: Instant, into effects: inout [ClientEffect]) {
    var refresh = refresh
    switch behaviour {
    case .wellBehaved, .refused, .hammering:
      renew(refresh, into: &effects)
    case .slow:
      refresh.step = .delaying(until: now + policy.slowDelay)
      phase = .refreshing(refresh)
    case .forgetful:
      phase = .refreshing(refresh)
    case .stale:
      if let token, !asksGatewayAlone {
        answer(refresh, with: token, at: now, into: &effects)
      } else {
        phase = .refreshing(refresh)
      }
    case .garbage:
      mutter(refresh, left: policy.garbageMax, into: &effects)
    }
  }

  /// Asks the provider for a token because of a refresh request.
  mutating func renew(_ refresh: Refresh, into effects: inout [ClientEffect]) {
    guard !asksGatewayAlone else { return askOverHTTP(refresh, into: &effects) }
    var refresh = refresh
    refresh.isAtRequest = false
    refresh.step = .fetching
    refresh.calls += 1
    phase = .refreshing(refresh)
    fetch(renewal(call: refresh.calls), into: &effects)
  }

  mutating func renewed(
    _ answer: ProviderAnswer, _ refresh: Refresh, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    guard !hammers(after: answer) else { return hammer(refresh, at: now) }
    switch answer {
    case .token(let token):
      if habits.keepsToken {
        self.token = token
        isTokenUnseen = true
      }
      self.answer(refresh, with: token, at: now, into: &effects)
    case .refused(let number), .denied(let number):
      giveUp(refresh, "provider_refused_\(number)", into: &effects)
    case .busy(let status, let told):
      let wait =
        told.map { policy.backoff.wait(atLeast: $0, after: refresh.calls, chance: &chance) }
        ?? policy.backoff.wait(after: refresh.calls, chance: &chance)
      backOff(refresh, for: wait, "provider_busy_\(status)", at: now, into: &effects)
    case .failed(let problem):
      let wait = policy.backoff.wait(after: refresh.calls, chance: &chance)
      backOff(refresh, for: wait, "provider_\(problem)", at: now, into: &effects)
    }
  }

  mutating func backOff(
    _ refresh: Refresh, for wait: Duration, _ reason: String, at now: Instant, into effects: inout [ClientEffect]
  ) {
    guard now + wait < refresh.until else { return giveUp(refresh, reason, into: &effects) }
    var refresh = refresh
    refresh.step = .backingOff(until: now + wait)
    phase = .refreshing(refresh)
  }

  private mutating func answer(
    _ refresh: Refresh, with token: Credentials, at now: Instant, into effects: inout [ClientEffect]
  ) {
    if habits.refresh.how == .http { return askOverHTTP(refresh, into: &effects) }
    var refresh = refresh
    let patience = habits.sessionKey.flatMap { $0.fallsBackToHTTP ? $0.answerTimeout : nil }
    refresh.step = .answering(until: patience.map { now + $0 } ?? survivalProvenAt(now))
    phase = .refreshing(refresh)
    // The gateway does not report the acceptance.
    if let end = clock.end, habits.refresh.isProvenBySurvival { effects.append(.record(.margin(end - now))) }
    effects += [.record(.answered), .send(.refresh(token))]
  }

  private mutating func mutter(_ refresh: Refresh, left: Int, into effects: inout [ClientEffect]) {
    var refresh = refresh
    refresh.step = .muttering(next: nil, left: left - 1)
    phase = .refreshing(refresh)
    effects += [.record(.answered), .send(.garbage)]
  }

  mutating func giveUp(_ refresh: Refresh, _ reason: String, into effects: inout [ClientEffect]) {
    var refresh = refresh
    refresh.step = .silent
    phase = .refreshing(refresh)
    effects.append(.record(.gaveUp(reason)))
  }

  /// Continues after the wait of a refresh step.
  mutating func resume(_ refresh: Refresh, at now: Instant, into effects: inout [ClientEffect]) {
    switch refresh.step {
    case .backingOff where refresh.isAtRequest: askOverHTTP(refresh, into: &effects)
    case .delaying, .backingOff: renew(refresh, into: &effects)
    case .muttering(_, let left): mutter(refresh, left: left, into: &effects)
    case .answering where habits.refresh.isProvenBySurvival: refreshed(at: now, into: &effects)
    case .answering: fetchKey(refresh, into: &effects)
    case .fetching, .fetchingKey, .silent: return
    }
  }

  mutating func refreshed(at now: Instant, into effects: inout [ClientEffect]) {
    // A late answer counts even if the client has given up.
    guard case .refreshing(let refresh) = phase else { return }
    phase = .live
    if let end = clock.end, !habits.refresh.isProvenBySurvival { effects.append(.record(.margin(end - now))) }
    clock.accept()
    isTokenUnseen = false
    refreshes += 1
    effects.append(.record(.refreshed(after: now - refresh.askedAt, number: refreshes)))
    pulse?.restart(at: now)
    beat(at: now, into: &effects)
  }

  /// Handles an error that the gateway answered.
  mutating func failed(
    _ number: Int, _ name: String, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    switch phase {
    case .loggingIn(let since) where closeDecides(about: number):
      phase = .refused(number: number, name: name, since: since)
    case .loggingIn where outage != nil:
      refusedAway(number, name, at: now, chance: &chance, into: &effects)
    case .loggingIn where habits.sessionKey == nil && habits.comeback?.renewingErrors.contains(number) == true:
      // The first token was already too old. An SDK asks for another before it reports an error.
      outage = Outage(since: now)
      refusedAway(number, name, at: now, chance: &chance, into: &effects)
    case .loggingIn:
      effects += [.record(.connectFailed(name)), .close]
      phase = .leaving(wasLive: false)
    case .refreshing(let refresh):
      refused(refresh, number, name, at: now, into: &effects)
    case .live:
      tokenIsOver(number, name, at: now, chance: &chance, into: &effects)
    case .idle, .obtaining, .waitingToObtain, .dialling, .refused, .leaving, .away, .returning, .abandoned, .ended:
      return
    }
  }

  private mutating func refused(
    _ refresh: Refresh, _ number: Int, _ name: String, at now: Instant, into effects: inout [ClientEffect]
  ) {
    var refresh = refresh
    switch refresh.step {
    case .answering:
      effects.append(.record(.refreshRefused(name)))
      if habits.comeback?.finalErrors.contains(number) == true { return sessionClosed(name, into: &effects) }
      if habits.sessionKey?.fallsBackToHTTP == true && habits.comeback?.renewingErrors.contains(number) != true {
        return fetchKey(refresh, into: &effects)
      }
      renewOrGiveUp(refresh, name, at: now, into: &effects)
    case .muttering(nil, let left):
      effects.append(.record(.refreshRefused(name)))
      refresh.step = left > 0 ? .muttering(next: now + policy.garbagePause, left: left) : .silent
      phase = .refreshing(refresh)
    case .delaying, .fetching, .fetchingKey, .backingOff, .muttering, .silent:
      effects.append(.record(.error(name)))
    }
  }

  /// Handles a refused token: asks the application for the next, unless it has none or too many were refused.
  mutating func renewOrGiveUp(
    _ refresh: Refresh, _ name: String, at now: Instant, into effects: inout [ClientEffect]
  ) {
    var refresh = refresh
    if refresh.isTrial {
      // The application has not been asked yet.
      refresh.isTrial = false
      return begin(refresh, at: now, into: &effects)
    }
    refresh.refusals += 1
    guard !hammers else { return hammer(refresh, at: now) }
    if behaviour == .stale || refresh.refusals > policy.renewalsMax {
      giveUp(refresh, "gateway_\(name)", into: &effects)
    } else {
      renew(refresh, into: &effects)
    }
  }

  // MARK: The session key over HTTP

  private mutating func fetchKey(_ refresh: Refresh, into effects: inout [ClientEffect]) {
    var refresh = refresh
    guard let habit = habits.sessionKey, refresh.keyCalls < habit.triesMax else {
      return giveUp(refresh, "no_key", into: &effects)
    }
    refresh.keyCalls += 1
    refresh.step = .fetchingKey
    phase = .refreshing(refresh)
    fetch(.sessionKey, into: &effects)
  }

  /// Handles the gateway's answer to the request for a session key, on a live connection.
  mutating func keyArrived(
    _ answer: ProviderAnswer, _ refresh: Refresh, at now: Instant, into effects: inout [ClientEffect]
  ) {
    switch answer {
    case .token(let key):
      self.key = key
      refreshed(at: now, into: &effects)
    case .denied(let number) where habits.comeback?.finalErrors.contains(number) == true:
      sessionClosed("\(number)", into: &effects)
    case .denied(let number) where habits.comeback?.renewingErrors.contains(number) == true:
      effects.append(.record(.refreshRefused("\(number)")))
      renewOrGiveUp(refresh, "\(number)", at: now, into: &effects)
    case .denied, .busy, .refused, .failed:
      fetchKey(refresh, into: &effects)
    }
  }
}
