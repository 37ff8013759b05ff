internal import GatewayCore

// From the gateway's request to the accepted token, in each behaviour's own manner.

extension ClientSession {
  mutating func asked(_ timeout: Duration, at now: Instant, into effects: inout [ClientEffect]) {
    switch phase {
    case .live:
      announcedTimeout = timeout
      effects.append(.record(.asked))
      begin(Refresh(askedAt: now, until: now + timeout, step: .silent), at: now, into: &effects)
    case .refreshing(var refresh):
      // One refresh at a time: the one under way answers this request too.
      effects.append(.record(.askedAgain))
      refresh.until = now + timeout
      phase = .refreshing(refresh)
    case .idle, .obtaining, .waitingToObtain, .dialling, .loggingIn, .leaving, .away, .abandoned, .ended: return
    }
  }

  private mutating func begin(_ refresh: Refresh, at now: Instant, into effects: inout [ClientEffect]) {
    var refresh = refresh
    switch behaviour {
    case .wellBehaved, .refused:
      renew(refresh, into: &effects)
    case .slow:
      refresh.step = .delaying(until: now + policy.slowDelay)
      phase = .refreshing(refresh)
    case .forgetful:
      phase = .refreshing(refresh)
    case .stale:
      if let oldToken {
        answer(refresh, with: oldToken, into: &effects)
      } else {
        phase = .refreshing(refresh)
      }
    case .garbage:
      mutter(refresh, left: policy.garbageMax, into: &effects)
    }
  }

  /// Asks the provider on account of a request.
  private mutating func renew(_ refresh: Refresh, into effects: inout [ClientEffect]) {
    var refresh = refresh
    refresh.step = .fetching
    refresh.calls += 1
    phase = .refreshing(refresh)
    fetch(behaviour == .refused ? .hopelessRefresh : .refresh(call: refresh.calls), into: &effects)
  }

  mutating func renewed(
    _ answer: ProviderAnswer, _ refresh: Refresh, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    switch answer {
    case .token(let token):
      self.answer(refresh, with: token, into: &effects)
    case .refused(let status):
      giveUp(refresh, "provider_refused_\(status)", into: &effects)
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

  private mutating func backOff(
    _ refresh: Refresh, for wait: Duration, _ reason: String, at now: Instant, into effects: inout [ClientEffect]
  ) {
    guard now + wait < refresh.until else { return giveUp(refresh, reason, into: &effects) }
    var refresh = refresh
    refresh.step = .backingOff(until: now + wait)
    phase = .refreshing(refresh)
  }

  private mutating func answer(
    _ refresh: Refresh, with token: Credentials, into effects: inout [ClientEffect]
  ) {
    var refresh = refresh
    refresh.step = .answering
    phase = .refreshing(refresh)
    effects += [.record(.answered), .send(.refresh(token))]
  }

  private mutating func mutter(_ refresh: Refresh, left: Int, into effects: inout [ClientEffect]) {
    var refresh = refresh
    refresh.step = .muttering(next: nil, left: left - 1)
    phase = .refreshing(refresh)
    effects += [.record(.answered), .send(.garbage)]
  }

  private mutating func giveUp(_ refresh: Refresh, _ reason: String, into effects: inout [ClientEffect]) {
    var refresh = refresh
    refresh.step = .silent
    phase = .refreshing(refresh)
    effects.append(.record(.gaveUp(reason)))
  }

  /// The wait of a request's step is over.
  mutating func resume(_ refresh: Refresh, into effects: inout [ClientEffect]) {
    switch refresh.step {
    case .delaying, .backingOff: renew(refresh, into: &effects)
    case .muttering(_, let left): mutter(refresh, left: left, into: &effects)
    case .fetching, .answering, .silent: return
    }
  }

  mutating func refreshed(at now: Instant, into effects: inout [ClientEffect]) {
    // Also where the client has given up meanwhile: a late answer is an answer.
    guard case .refreshing(let refresh) = phase else { return }
    phase = .live
    refreshes += 1
    effects.append(.record(.refreshed(after: now - refresh.askedAt, number: refreshes)))
  }

  /// The gateway answered with an error.
  mutating func failed(
    _ name: String, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    switch phase {
    case .loggingIn:
      effects += [.record(.connectFailed(name)), .close]
      phase = .leaving(wasLive: false)
    case .refreshing(let refresh):
      refused(refresh, name, at: now, into: &effects)
    case .live:
      effects.append(.record(.error(name)))
    case .idle, .obtaining, .waitingToObtain, .dialling, .leaving, .away, .abandoned, .ended: return
    }
  }

  private mutating func refused(
    _ refresh: Refresh, _ name: String, at now: Instant, into effects: inout [ClientEffect]
  ) {
    var refresh = refresh
    switch refresh.step {
    case .answering:
      effects.append(.record(.refreshRefused(name)))
      refresh.refusals += 1
      if behaviour == .stale || refresh.refusals > policy.renewalsMax {
        giveUp(refresh, "gateway_\(name)", into: &effects)
      } else {
        renew(refresh, into: &effects)
      }
    case .muttering(nil, let left):
      effects.append(.record(.refreshRefused(name)))
      refresh.step = left > 0 ? .muttering(next: now + policy.garbagePause, left: left) : .silent
      phase = .refreshing(refresh)
    case .delaying, .fetching, .backingOff, .muttering, .silent:
      effects.append(.record(.error(name)))
    }
  }
}
