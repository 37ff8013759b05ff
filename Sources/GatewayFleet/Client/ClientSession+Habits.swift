package import GatewayCore
internal import GatewayRuntime

// Renewal by the end of the token, and the meaning of a connection's end.

extension ClientSession {
  /// The phase of the connection, for the code that reads its messages; nil if messages no longer matter.
  package var wirePhase: ClientPhase? {
    switch phase {
    case .loggingIn: clock.acceptedAt == nil ? .loggingIn : .live
    case .refused: .loggingIn
    case .live: .live
    case .refreshing: .refreshing
    case .idle, .obtaining, .waitingToObtain, .dialling, .leaving, .away, .returning, .abandoned, .ended: nil
    }
  }

  /// Whether the client has closed the connection itself, permanently.
  package var isLeaving: Bool { if case .leaving = phase { true } else { false } }

  /// Notes the end of the token that the provider has just given; nil if it is unknown.
  package mutating func note(endOfToken end: Instant?) {
    clock.latestEnd = end
  }

  // MARK: Meaning of ends

  /// Returns the verdict on a close and its name in the report; nil if the SDK gives ends no meaning.
  func meaning(of code: UInt16?, _ text: String?, _ reason: String) -> (verdict: ReturnVerdict, reason: String)? {
    guard let habit = habits.comeback, habit.ends != nil else { return nil }
    let code = Int(code ?? CloseReason.connectionLost.code)
    return habit.verdict(of: code, isHTTP: false, text, in: wirePhase ?? .opening).map { verdict, label in
      (verdict, label.map { "\(reason) \($0)" } ?? reason)
    }
  }

  /// Returns the same for a refused upgrade.
  func meaning(of failure: DialFailure) -> (verdict: ReturnVerdict, reason: String)? {
    guard case .refused(let status) = failure, let habit = habits.comeback else { return nil }
    return habit.verdict(of: status, isHTTP: true, in: .opening).map { verdict, label in
      (verdict, label.map { "\(failure.reason) \($0)" } ?? failure.reason)
    }
  }

  /// Handles the end of a connection before its login counted, if that end has a meaning.
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

  /// Handles the end of a live connection after which the client must not come back.
  mutating func endForGood(_ reason: String, into effects: inout [ClientEffect]) {
    fetchNumber &+= 1
    pulse = nil
    outage = nil
    loss = .unexpected
    effects.append(.record(.lost(reason, isExpected: false, timedOut: false)))
    phase = .ended
  }

  /// Handles the gateway's message that the session is over.
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
    case .idle, .obtaining, .waitingToObtain, .dialling, .refused, .leaving, .away, .returning, .abandoned, .ended:
      return
    }
  }

  /// Sends the message that the gateway asked for, if the connection is still open.
  func answerCue(_ number: Int, into effects: inout [ClientEffect]) {
    if wirePhase != nil { effects.append(.send(.cued(number))) }
  }

  /// Decides whether the reconnect begins with a new token.
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

  /// Sets the renewal timer of a client that renews by itself, once for each token.
  mutating func setRenewal(at now: Instant, chance: inout SeededGenerator) {
    guard [.timer, .reconnect, .http].contains(habits.refresh.how), case .live = phase else { return }
    if let wanted = policy.renewalsWanted, refreshes >= wanted { return }
    clock.reckon(habits.refresh, at: now, chance: &chance)
  }

  /// Starts the renewal that is due, on the connection or on a new one.
  mutating func renewInTime(
    at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    clock.forgetRenewal()
    if habits.refresh.how != .reconnect {
      let patience = max(.zero, (clock.end ?? now) - now) + habits.refresh.grace
      return asked(patience, .newToken, at: now, into: &effects)
    }
    effects.append(.close)
    let end = clock.end
    cutOff(nil, "client_returns", .renew, at: now, chance: &chance, into: &effects)
    outage?.oldEnd = end
    outage?.isRenewal = true
  }

  /// Records that the gateway has ended a live connection, if the end of its token is known. Ends are whole seconds: an
  /// end up to one second early is in time.
  func noteEnd(at now: Instant, into effects: inout [ClientEffect]) {
    switch phase {
    case .live, .refreshing:
      if let end = clock.end { effects.append(.record(.endedKnowing(isEarly: now + .seconds(1) < end))) }
    case .idle, .obtaining, .waitingToObtain, .dialling, .loggingIn, .refused, .leaving, .away, .returning, .abandoned,
      .ended:
      return
    }
  }

  /// Returns when a renewal that the gateway does not answer counts as accepted; nil if the gateway answers renewals.
  func survivalProvenAt(_ now: Instant) -> Instant? {
    guard habits.refresh.isProvenBySurvival else { return nil }
    // One second is added: ends are whole seconds, and the gateway closes at the end of the grace.
    return max(now, clock.end ?? now) + habits.refresh.grace + .seconds(1)
  }
}
