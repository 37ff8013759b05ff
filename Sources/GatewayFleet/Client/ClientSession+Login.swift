internal import GatewayCore
internal import GatewayRuntime

// The way from the start to the accepted login.

extension ClientSession {
  mutating func obtain(tries: Int, at now: Instant, into effects: inout [ClientEffect]) {
    key = nil
    guard !habits.asksAtNeed else { return dial(Credentials(token: ""), at: now, into: &effects) }
    phase = .obtaining(tries: tries)
    // The user of a client that hammers without success would have to sign in.
    fetch(hammersInVain && logins > 0 ? renewal(call: tries + 1) : .login, into: &effects)
  }

  mutating func obtained(
    _ answer: ProviderAnswer, tries: Int, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    let tries = tries + 1
    guard !hammers(after: answer) else { return hammer(tries: tries, at: now) }
    let wait: Duration
    let reason: String
    switch answer {
    case .token(let token):
      if behaviour == .stale || habits.keepsToken { self.token = token }
      return dial(token, at: now, into: &effects)
    case .refused(let status):
      return endWithoutLogin("provider_refused_\(status)", mayReturn: false, at: now, chance: &chance, into: &effects)
    case .denied(let number):
      return endWithoutLogin("provider_refused_\(number)", mayReturn: false, at: now, chance: &chance, into: &effects)
    case .busy(let status, let told):
      reason = "provider_busy_\(status)"
      wait =
        told.map { policy.backoff.wait(atLeast: $0, after: tries, chance: &chance) }
        ?? policy.backoff.wait(after: tries, chance: &chance)
    case .failed(let problem):
      reason = "provider_\(problem)"
      wait = policy.backoff.wait(after: tries, chance: &chance)
    }
    // A client that has been connected before retries as long as the storm lasts.
    if tries < policy.loginTriesMax || outage != nil {
      phase = .waitingToObtain(tries: tries, until: now + wait)
    } else {
      endWithoutLogin(reason, mayReturn: false, at: now, chance: &chance, into: &effects)
    }
  }

  private mutating func dial(_ token: Credentials, at now: Instant, into effects: inout [ClientEffect]) {
    phase = .dialling(token, since: now)
    clock.acceptedAt = nil
    tokenCue = nil
    hasSocket = true
    outage?.attempts += 1
    effects += [.record(outage == nil ? .connecting : .reconnecting), .dial]
  }

  mutating func opened(at now: Instant, into effects: inout [ClientEffect]) {
    switch phase {
    case .dialling(let token, let since):
      phase = .loggingIn(since: since)
      if outage?.hasNewToken == true { effects.append(.record(.answered)) }
      effects.append(.send(presents(token)))
      if habits.isLoggedInAtOpen { connected(Welcome(), at: now, into: &effects) }
    case .abandoned, .ended:
      phase = .leaving(wasLive: false)
      effects.append(.close)
    case .returning, .away, .leaving:
      // This socket belongs to an earlier attempt that took too long.
      effects.append(.close)
    case .idle, .obtaining, .waitingToObtain, .loggingIn, .refused, .live, .refreshing: return
    }
  }

  mutating func dialFailed(
    _ failure: DialFailure, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    if case .dialling = phase, let (verdict, reason) = meaning(of: failure) {
      return endedUnaccepted(verdict, reason, at: now, chance: &chance, into: &effects)
    }
    switch phase {
    case .dialling where outage != nil && !returnsByItself && !failure.mayPass:
      giveUpReturn(failure.reason, into: &effects)
    case .dialling where outage != nil:
      failedAway(failure.reason, at: now, chance: &chance, into: &effects)
    case .dialling:
      endWithoutLogin(
        failure.reason, mayReturn: failure.mayPass, at: now, chance: &chance, into: &effects)
    case .abandoned, .leaving:
      phase = .ended
    case .returning:
      parted(at: now, into: &effects)
    case .idle, .obtaining, .waitingToObtain, .loggingIn, .refused, .live, .refreshing, .away, .ended: return
    }
  }

  mutating func connected(_ welcome: Welcome, at now: Instant, into effects: inout [ClientEffect]) {
    guard case .loggingIn(let since) = phase, clock.acceptedAt == nil else { return }
    key = welcome.key ?? key
    connection = welcome.connection
    greeting = welcome.greeting
    toldSchedule = welcome.schedule
    pulse = habits.keepAlive.map { Pulse($0, welcome, at: now) }
    clock.accept()
    clock.acceptedAt = now
    // The login counts once it has lived for a while.
    if habits.settle == .zero { loggedIn(since: since, acceptedAt: now, at: now, into: &effects) }
  }

  /// Counts the login, from the time at which it was accepted.
  mutating func loggedIn(since: Instant, acceptedAt: Instant, at now: Instant, into effects: inout [ClientEffect]) {
    clock.acceptedAt = nil
    phase = .live
    isTokenUnseen = false
    logins += 1
    tries = 0
    effects.append(.record(.connected(after: acceptedAt - since, again: logins > 1)))
    returned(at: acceptedAt, into: &effects)
    // A client that pings at once does not wait for a wake-up.
    beat(at: now, into: &effects)
  }

  mutating func connectTimedOut(
    at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    if outage != nil {
      if case .loggingIn = phase { effects.append(.close) }
      return failedAway("timed_out", at: now, chance: &chance, into: &effects)
    }
    effects.append(.record(.connectFailed("timed_out")))
    if case .loggingIn = phase {
      phase = .leaving(wasLive: false)
      effects.append(.close)
    } else {
      phase = .abandoned
    }
  }

  /// Handles an attempt that ended without a login; `reason` is the cause.
  mutating func endWithoutLogin(
    _ reason: String, mayReturn: Bool, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    if outage != nil { return giveUpReturn(reason, into: &effects) }
    effects.append(.record(.connectFailed(reason)))
    comeBackOrEnd(mayReturn, at: now, chance: &chance)
  }

  mutating func comeBackOrEnd(_ mayReturn: Bool, at now: Instant, chance: inout SeededGenerator) {
    guard (policy.reconnects || hammers) && mayReturn else {
      phase = .ended
      return
    }
    stayAway(at: now, chance: &chance)
  }

  /// Waits for the next attempt that the plan orders.
  mutating func stayAway(at now: Instant, chance: inout SeededGenerator) {
    phase = .away(until: now + policy.backoff.wait(after: tries, chance: &chance))
    tries += 1
  }
}

extension DialFailure {
  /// A stable name for the report.
  var reason: String {
    switch self {
    case .refused(let status): "http_\(status)"
    case .unreachable: "unreachable"
    case .insecure(let failure): failure.rawValue
    case .timedOut: "timed_out"
    }
  }

  /// The description of the failure for people.
  var detail: String {
    switch self {
    case .refused(let status): "it was answered \(status)"
    case .unreachable(let text): text
    case .insecure(let failure): failure.description
    case .timedOut: "there was no answer in time (--fetch-timeout)"
    }
  }

  /// Whether another attempt may succeed.
  var mayPass: Bool {
    switch self {
    case .refused(let status): status == 429 || status >= 500
    case .unreachable, .timedOut: true
    // A busy server may break off a handshake; a problem of the certificate remains.
    case .insecure(let failure): failure == .handshake
    }
  }
}
