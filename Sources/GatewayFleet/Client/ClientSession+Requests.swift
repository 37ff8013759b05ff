internal import GatewayCore

// Renewals without a message of the client's: by a request over HTTP, and by a token that the gateway pushes.

extension ClientSession {
  /// Whether the request over HTTP brings the new token, so that no token is asked for ahead of it.
  ///
  /// A client whose user must sign in has no token to show in it, and asks the provider in vain.
  var asksGatewayAlone: Bool { habits.refresh.isTokenInAnswer && !renewal(call: 1).isHopeless }

  /// Sends the request that renews the connection.
  mutating func askOverHTTP(_ refresh: Refresh, into effects: inout [ClientEffect]) {
    if !refresh.isAtRequest { effects.append(.record(.answered)) }
    var refresh = refresh
    refresh.isAtRequest = true
    refresh.keyCalls += 1
    refresh.step = .fetchingKey
    phase = .refreshing(refresh)
    fetch(.sessionKey, into: &effects)
  }

  /// Handles the gateway's answer to that request.
  mutating func requestAnswered(
    _ answer: ProviderAnswer, _ refresh: Refresh, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    switch answer {
    // It has shown the token that it had, with which no gateway renews for long.
    case .token where behaviour == .stale: giveUp(refresh, "same_token", into: &effects)
    case .token(let token):
      if habits.keepsToken { self.token = token }
      refreshed(at: now, into: &effects)
    case .busy(let status, let told): unrenewed(refresh, status, told, at: now, chance: &chance, into: &effects)
    case .refused(let status): unrenewed(refresh, status, nil, at: now, chance: &chance, into: &effects)
    case .denied, .failed:
      let wait = policy.backoff.wait(after: refresh.keyCalls, chance: &chance)
      backOff(refresh, for: wait, "request_\(answer.reason)", at: now, into: &effects)
    }
  }

  /// Handles an answer that does not renew, by what its status means.
  private mutating func unrenewed(
    _ refresh: Refresh, _ status: Int, _ told: Duration?, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    let (verdict, label) =
      habits.comeback?.verdict(of: status, isHTTP: true, in: .refreshing) ?? (EndRule.usual(status, isHTTP: true), nil)
    let name = label.map { "http_\(status) \($0)" } ?? "http_\(status)"
    if verdict == .retry {
      let wait =
        told.map { policy.backoff.wait(atLeast: $0, after: refresh.keyCalls, chance: &chance) }
        ?? policy.backoff.wait(after: refresh.keyCalls, chance: &chance)
      return backOff(refresh, for: wait, "request_\(name)", at: now, into: &effects)
    }
    effects.append(.record(.refreshRefused(name)))
    if verdict == .giveUp { return sessionClosed(name, into: &effects) }
    // The token at hand is no good, and the gateway gives a new one only for a good one.
    if asksGatewayAlone { return giveUp(refresh, "gateway_\(name)", into: &effects) }
    var refresh = refresh
    refresh.isAtRequest = false
    renewOrGiveUp(refresh, name, at: now, into: &effects)
  }

  /// Keeps the token by which the gateway has renewed the connection.
  mutating func pushed(_ token: Credentials, at now: Instant, into effects: inout [ClientEffect]) {
    guard wirePhase != nil else { return }
    if habits.keepsToken, ![.stale, .forgetful].contains(behaviour) { self.token = token }
    switch phase {
    case .live:
      effects.append(.record(.asked))
      phase = .refreshing(Refresh(askedAt: now, until: now + policy.refreshTimeout, step: .silent))
      refreshed(at: now, into: &effects)
    case .refreshing: refreshed(at: now, into: &effects)
    // The login does not count yet, and the gateway lives by the new token already.
    case .loggingIn: clock.accept()
    case .idle, .obtaining, .waitingToObtain, .dialling, .refused, .leaving, .away, .returning, .abandoned, .ended:
      return
    }
  }
}
