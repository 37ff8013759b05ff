package import GatewayCore
internal import GatewayRuntime

// What a client does that goes by the end of its token, and by what the ends of its connections mean.

extension ClientSession {
  /// How far the connection is, for who reads its messages; nil where nothing that comes matters any more.
  package var wirePhase: ClientPhase? {
    switch phase {
    case .loggingIn: clock.acceptedAt == nil ? .loggingIn : .live
    case .live: .live
    case .refreshing: .refreshing
    case .idle, .obtaining, .waitingToObtain, .dialling, .leaving, .away, .returning, .abandoned, .ended: nil
    }
  }

  /// Whether it has closed the connection itself, for good.
  package var isLeaving: Bool { if case .leaving = phase { true } else { false } }

  /// Notes when the token ends that the provider has just given; nil if nobody says.
  package mutating func note(endOfToken end: Instant?) {
    clock.latestEnd = end
  }

  // MARK: What ends mean

  /// The verdict on a close, with what the report calls it; nil where ends mean nothing.
  func meaning(of code: UInt16?, _ text: String?, _ reason: String) -> (verdict: ReturnVerdict, reason: String)? {
    guard let habit = habits.comeback, habit.ends != nil else { return nil }
    let code = Int(code ?? CloseReason.connectionLost.code)
    return habit.verdict(of: code, isHTTP: false, text, in: wirePhase ?? .opening).map { verdict, label in
      (verdict, label.map { "\(reason) \($0)" } ?? reason)
    }
  }

  /// The same of an upgrade that was refused.
  func meaning(of failure: DialFailure) -> (verdict: ReturnVerdict, reason: String)? {
    guard case .refused(let status) = failure, let habit = habits.comeback else { return nil }
    return habit.verdict(of: status, isHTTP: true, in: .opening).map { verdict, label in
      (verdict, label.map { "\(failure.reason) \($0)" } ?? failure.reason)
    }
  }

  /// A connection ended before its login counted, with a meaning.
  mutating func endedUnaccepted(
    _ verdict: ReturnVerdict, _ reason: String, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    if verdict == .giveUp {
      return endWithoutLogin(reason, mayReturn: false, at: now, chance: &chance, into: &effects)
    }
    if outage == nil { outage = Outage(since: now) }
    if verdict == .renew {
      refusedAway(verdict.number, reason, at: now, chance: &chance, into: &effects)
    } else {
      failedAway(reason, at: now, chance: &chance, into: &effects)
    }
  }

  /// A live connection ended, and the client is not to come back.
  mutating func endForGood(_ reason: String, into effects: inout [ClientEffect]) {
    fetchNumber &+= 1
    pulse = nil
    outage = nil
    loss = .unexpected
    effects.append(.record(.lost(reason, isExpected: false, timedOut: false)))
    phase = .ended
  }

  /// The gateway said that the session is over.
  mutating func goodbye(
    _ verdict: ReturnVerdict, _ name: String, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    switch phase {
    case .loggingIn:
      failed(verdict.number, name, at: now, chance: &chance, into: &effects)
    case .live, .refreshing:
      noteEnd(at: now, into: &effects)
      if verdict == .giveUp { return sessionClosed(name, into: &effects) }
      effects.append(.close)
      cutOff(nil, name, verdict, at: now, chance: &chance, into: &effects)
    case .idle, .obtaining, .waitingToObtain, .dialling, .leaving, .away, .returning, .abandoned, .ended: return
    }
  }

  /// Says what the gateway's message asks for, if there is still somebody to say it to.
  func answerCue(_ number: Int, into effects: inout [ClientEffect]) {
    if wirePhase != nil { effects.append(.send(.cued(number))) }
  }

  /// Decides whether the way back begins with a new token.
  func chooseToken(
    for outage: inout Outage, _ verdict: ReturnVerdict?, at now: Instant, into effects: inout [ClientEffect]
  ) {
    let isOver = verdict == .renew || clock.isOver(at: now)
    if isOver && !outage.isExpiry {
      outage.isExpiry = true
      outage.isRenewal = true
      effects.append(.record(.asked))
    }
    guard !outage.hasNewToken else { return }
    switch habits.comeback?.tokenOnReturn {
    case .fresh: outage.needsToken = true
    case .unlessOver: outage.needsToken = outage.needsToken || isOver
    case .kept, nil: outage.needsToken = outage.needsToken || verdict == .renew
    }
  }

  // MARK: Renewal in time

  /// Sets the timer of a client that renews by itself, once for each token.
  mutating func setRenewal(at now: Instant, chance: inout SeededGenerator) {
    guard [.timer, .reconnect].contains(habits.refresh.how), case .live = phase else { return }
    if let wanted = policy.renewalsWanted, refreshes >= wanted { return }
    clock.reckon(habits.refresh, at: now, chance: &chance)
  }

  /// The time has come: on the connection, or on a new one.
  mutating func renewInTime(
    at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    clock.forgetRenewal()
    if habits.refresh.how == .timer {
      let patience = max(.zero, (clock.end ?? now) - now) + habits.refresh.grace
      return asked(patience, .newToken, at: now, into: &effects)
    }
    effects.append(.close)
    let end = clock.end
    cutOff(nil, "client_returns", .renew, at: now, chance: &chance, into: &effects)
    outage?.oldEnd = end
    outage?.isRenewal = true
  }

  /// Notes that the gateway has ended a live connection, where it is known until when the token was good. Ends are whole
  /// seconds: one second early is in time.
  func noteEnd(at now: Instant, into effects: inout [ClientEffect]) {
    switch phase {
    case .live, .refreshing:
      if let end = clock.end { effects.append(.record(.endedKnowing(isEarly: now + .seconds(1) < end))) }
    case .idle, .obtaining, .waitingToObtain, .dialling, .loggingIn, .leaving, .away, .returning, .abandoned, .ended:
      return
    }
  }

  /// When a renewal that nobody answers is proven; nil where the gateway answers.
  func survivalProvenAt(_ now: Instant) -> Instant? {
    guard habits.refresh.isProvenBySurvival else { return nil }
    // A second more: ends are whole seconds, and the gateway closes at the end of the grace.
    return max(now, clock.end ?? now) + habits.refresh.grace + .seconds(1)
  }
}
