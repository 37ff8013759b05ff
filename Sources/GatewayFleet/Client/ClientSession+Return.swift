internal import GatewayCore
internal import GatewayRuntime

// The way from a lost connection back to the gateway, for an SDK that comes back by itself.

extension ClientSession {
  /// Whether the SDK brings the client back.
  var returnsByItself: Bool { habits.comeback != nil }

  /// Whether the client can never come back with a valid token, whatever the gateway and the provider do.
  var cannotRenew: Bool {
    switch behaviour {
    case .wellBehaved, .slow: !habits.renewsTokens
    case .hammering: !habits.renewsTokens || policy.hammersInVain
    case .forgetful, .stale, .garbage, .refused: true
    }
  }

  /// Handles an error about the token on an open connection.
  mutating func tokenIsOver(
    _ number: Int, _ name: String, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    guard let habit = habits.comeback, habit.renewingErrors.contains(number), outage == nil else {
      effects.append(.record(.error(name)))
      return
    }
    var outage = Outage(since: now)
    outage.isExpiry = true
    outage.isRenewal = true
    outage.needsToken = habit.heed != .none
    self.outage = outage
    effects.append(.record(.asked))
    if habit.heed == .atOnce {
      effects.append(.close)
      cutOff(nil, "client_returns", at: now, chance: &chance, into: &effects)
    }
  }

  /// Begins the way back after the connection has ended or become useless.
  mutating func cutOff(
    _ code: UInt16?, _ reason: String, _ verdict: ReturnVerdict? = nil, at now: Instant,
    chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    guard let habit = habits.comeback else { return }
    effects.append(.record(.interrupted(reason)))
    // A pending answer of the provider belongs to the lost connection.
    fetchNumber &+= 1
    var outage = self.outage ?? Outage(since: now)
    if case .refreshing(let refresh) = phase {
      outage.since = refresh.askedAt
      outage.isExpiry = true
      outage.hasNewToken = isTokenUnseen
    }
    outage.downSince = now
    if habit.ends != nil { chooseToken(for: &outage, verdict, at: now, into: &effects) }
    let isTakenForWill = code == CloseReason.normal.code && habit.heedsNormalClose && !outage.needsToken
    outage.failures = isTakenForWill ? 0 : habit.failuresAtLoss
    self.outage = outage
    let looksAgainAt = max(now, pulse?.looksAgainAt ?? now)
    pulse = nil
    if isTakenForWill {
      phase = .returning(.unaware(until: looksAgainAt))
    } else {
      takeNextStep(at: now, chance: &chance, into: &effects)
    }
  }

  /// Asks for the token that is needed, or waits for the next attempt. `isDenied` if the provider has just refused a
  /// token.
  private mutating func takeNextStep(
    at now: Instant, isDenied: Bool = false, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    guard let habit = habits.comeback, let outage else { return }
    if outage.needsToken && habit.asksBeforeWaiting && !isDenied {
      return wantToken(at: now, chance: &chance, into: &effects)
    }
    let schedule = toldSchedule ?? habit.schedule
    let attempt = outage.attempts + outage.failedCalls
    guard let wait = schedule.wait(attempt: attempt, failures: outage.failures, chance: &chance) else {
      guard !hammers else { return hammerAway(at: now) }
      return giveUpReturn("no_more_attempts", into: &effects)
    }
    phase = .returning(.waiting(until: now + wait))
  }

  mutating func resume(
    _ step: ReturnStep, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    switch step {
    case .waiting:
      if outage?.needsToken ?? false, !habits.asksAtNeed {
        wantToken(at: now, chance: &chance, into: &effects)
      } else {
        dialAgain(at: now, into: &effects)
      }
    case .unaware:
      let share = habits.comeback?.normalCloseNoticedShare ?? 1
      guard share >= 1 || chance.nextShare() < share else { return giveUpReturn("close_unnoticed", into: &effects) }
      takeNextStep(at: now, chance: &chance, into: &effects)
    case .pondering: askForToken(into: &effects)
    case .asking, .askingForKey, .parting: return
    }
  }

  // MARK: The token

  /// Asks the application for a token; the application answers according to its behaviour.
  private mutating func wantToken(
    at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    switch behaviour {
    case .slow:
      phase = .returning(.pondering(until: now + policy.slowDelay))
    case .forgetful, .stale:
      // The application has only the old token.
      outage?.needsToken = false
      proceed(at: now, chance: &chance, into: &effects)
    case .wellBehaved, .garbage, .refused, .hammering:
      askForToken(into: &effects)
    }
  }

  private mutating func askForToken(into effects: inout [ClientEffect]) {
    outage?.calls += 1
    phase = .returning(.asking)
    fetch(renewal(call: outage?.calls ?? 1), into: &effects)
  }

  /// Handles the provider's answer on the way back.
  mutating func renewedAway(
    _ answer: ProviderAnswer, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    if case .token(let token) = answer {
      self.token = token
      outage?.needsToken = false
      outage?.hasNewToken = true
      return proceed(at: now, chance: &chance, into: &effects)
    }
    outage?.failedCalls += 1
    outage?.failures += 1
    guard !hammers else { return hammerAway(at: now) }
    let isOver = logins > 0 && habits.comeback?.endsWithoutToken == true
    guard let outage, !isOver, outage.failedCalls < policy.loginTriesMax else {
      return giveUpReturn("provider_\(answer.reason)", into: &effects)
    }
    if case .busy(_, let told?) = answer {
      let wait = policy.backoff.wait(atLeast: told, after: outage.failedCalls, chance: &chance)
      phase = .returning(.waiting(until: now + wait))
    } else {
      takeNextStep(at: now, isDenied: true, chance: &chance, into: &effects)
    }
  }

  /// Continues after a token has arrived: exchanges it for a key, waits, or dials the gateway.
  private mutating func proceed(
    at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    if habits.sessionKey != nil && key != nil { return askForKey(into: &effects) }
    if habits.comeback?.asksBeforeWaiting == true && habits.comeback?.waitsWithNewToken == true {
      takeNextStep(at: now, chance: &chance, into: &effects)
    } else {
      dialAgain(at: now, into: &effects)
    }
  }

  // MARK: The session key

  private mutating func askForKey(into effects: inout [ClientEffect]) {
    outage?.keyCalls += 1
    phase = .returning(.askingForKey)
    fetch(.sessionKey, into: &effects)
  }

  /// Handles the gateway's answer to the request for a session key, on the way back.
  mutating func keyArrivedAway(
    _ answer: ProviderAnswer, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    switch answer {
    case .token(let key):
      self.key = key
      dialAgain(at: now, into: &effects)
    case .denied(let number):
      tokenRefusedAway(number, "\(number)", at: now, chance: &chance, into: &effects)
    case .busy, .refused, .failed:
      guard let outage, outage.keyCalls < habits.sessionKey?.triesMax ?? 0 else {
        return giveUpReturn("key_\(answer.reason)", into: &effects)
      }
      askForKey(into: &effects)
    }
  }

  // MARK: The gateway

  private mutating func dialAgain(at now: Instant, into effects: inout [ClientEffect]) {
    guard let credentials = key ?? token ?? (habits.asksAtNeed ? Credentials(token: "") : nil) else {
      return giveUpReturn("no_token", into: &effects)
    }
    guard !hasSocket else {
      phase = .returning(.parting)
      return
    }
    outage?.attempts += 1
    hasSocket = true
    clock.acceptedAt = nil
    tokenCue = nil
    phase = .dialling(credentials, since: now)
    effects += [.record(.reconnecting), .dial]
  }

  /// Handles the end of the previous socket.
  mutating func parted(at now: Instant, into effects: inout [ClientEffect]) {
    if case .returning(.parting) = phase { dialAgain(at: now, into: &effects) }
  }

  /// Returns the first message for a socket that was opened on the way back.
  func presents(_ credentials: Credentials) -> ClientMessage {
    behaviour == .garbage && outage?.hasNewToken == true ? .garbage : .connect(credentials)
  }

  /// Handles the gateway's refusal of a login on the way back.
  mutating func refusedAway(
    _ number: Int, _ name: String, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    effects.append(.close)
    guard returnsByItself else {
      effects.append(.record(.returnRefused(name, isOldToken: false)))
      outage?.refusals += 1
      guard hammers || (outage?.refusals ?? 0) < policy.refusalsMax else {
        return giveUpReturn("gateway_\(name)", into: &effects)
      }
      return stayAway(at: now, chance: &chance)
    }
    let isFinal = habits.comeback?.finalErrors.contains(number) ?? false
    if let habit = habits.sessionKey, number == habit.expiredError, key != nil, !isFinal,
      (outage?.keyCalls ?? 0) < habit.triesMax
    {
      effects.append(.record(.returnRefused(name, isOldToken: true)))
      return askForKey(into: &effects)
    }
    tokenRefusedAway(number, name, at: now, chance: &chance, into: &effects)
  }

  /// Decides what follows a refusal by the gateway, over the socket or over HTTP.
  mutating func tokenRefusedAway(
    _ number: Int, _ name: String, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    guard let habit = habits.comeback, var outage else { return }
    effects.append(.record(.returnRefused(name, isOldToken: !outage.hasNewToken)))
    let isAboutToken = habit.renewingErrors.contains(number)
    outage.refusals += 1
    outage.failures += 1
    if isAboutToken && !outage.isExpiry && logins > 0 {
      outage.isExpiry = true
      effects.append(.record(.asked))
    }
    outage.needsToken = isAboutToken
    self.outage = outage
    let isFinal = !isAboutToken && habit.otherErrorsAreFinal && !habit.closeDecidesAboutErrors
    if habit.finalErrors.contains(number) || isFinal {
      return giveUpReturn("gateway_\(name)", into: &effects)
    }
    if isAboutToken && (behaviour == .forgetful || !habits.renewsTokens) {
      return giveUpReturn("no_provider", into: &effects)
    }
    if (outage.refusals >= policy.refusalsMax && !hammers) || (behaviour == .garbage && outage.hasNewToken) {
      return giveUpReturn("gateway_\(name)", into: &effects)
    }
    takeNextStep(at: now, chance: &chance, into: &effects)
  }

  /// Handles an attempt on the way back that failed without an answer from the gateway.
  mutating func failedAway(
    _ reason: String, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    effects.append(.record(.returnFailed(reason)))
    guard returnsByItself else { return stayAway(at: now, chance: &chance) }
    outage?.failures += 1
    if behaviour == .garbage && outage?.hasNewToken == true { return giveUpReturn(reason, into: &effects) }
    takeNextStep(at: now, chance: &chance, into: &effects)
  }

  /// Waits because the gateway is too busy for logins.
  mutating func sentAway(for wait: Duration, at now: Instant, into effects: inout [ClientEffect]) {
    guard returnsByItself, case .loggingIn = phase else { return }
    if outage == nil { outage = Outage(since: now) }
    effects += [.record(.returnFailed("busy")), .close]
    phase = .returning(.waiting(until: now + wait))
  }

  /// Ends the way back without success.
  mutating func giveUpReturn(_ reason: String, into effects: inout [ClientEffect]) {
    if logins > 0 {
      let isExpected = cannotRenew && (outage?.isExpiry ?? false)
      if loss != .unexpected { loss = isExpected ? .expected : .unexpected }
      effects.append(.record(.gaveUp(reason)))
    } else {
      effects.append(.record(.connectFailed(reason)))
    }
    outage = nil
    phase = hasSocket ? .leaving(wasLive: false) : .ended
  }

  /// Ends the way back after a login.
  mutating func returned(at now: Instant, into effects: inout [ClientEffect]) {
    guard let outage else { return }
    self.outage = nil
    guard let downSince = outage.downSince else { return }
    effects.append(.record(.returned(after: now - downSince, attempts: outage.attempts)))
    // A key alone does not show the gateway a token.
    let isTokenShown = habits.sessionKey.map { $0.showsTokenToo || outage.keyCalls > 0 } ?? true
    guard outage.hasNewToken && outage.isExpiry && isTokenShown else { return }
    if let end = outage.oldEnd { effects.append(.record(.margin(end - now))) }
    refreshes += 1
    effects.append(.record(.refreshed(after: now - outage.since, number: refreshes)))
  }

  /// Handles the gateway's statement that it will not resume this session.
  mutating func sessionClosed(_ name: String, into effects: inout [ClientEffect]) {
    switch phase {
    case .live, .refreshing:
      if loss != .unexpected { loss = .unexpected }
      effects += [.record(.lost(name, isExpected: false, timedOut: false)), .close]
      phase = .leaving(wasLive: false)
    case .idle, .obtaining, .waitingToObtain, .dialling, .loggingIn, .refused, .leaving, .away, .returning, .abandoned,
      .ended:
      return
    }
  }
}
