import GatewayCore
internal import GatewayRuntime

// The token request of a client that asks for its token only when its login needs one.

extension ClientSession {
  /// Whether the client still waits for its dial.
  package var isDialling: Bool {
    if case .dialling = phase { true } else { false }
  }

  /// Asks for a token that the login needs now, for the message of that number.
  mutating func askAtNeed(for number: Int, into effects: inout [ClientEffect]) {
    guard case .loggingIn = phase, clock.acceptedAt == nil, tokenCue == nil else { return }
    let hasOnlyTheOld = logins > 0 && [.stale, .forgetful].contains(behaviour)
    guard !hasOnlyTheOld || token == nil else { return effects.append(.send(.cued(number))) }
    tokenCue = number
    guard logins > 0 else { return fetch(.login, into: &effects) }
    outage?.calls += 1
    fetch(renewal(call: outage?.calls ?? 1), into: &effects)
  }

  /// Handles the provider's answer to that request.
  mutating func arrivedAtNeed(
    _ answer: ProviderAnswer, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    guard let number = tokenCue else { return }
    tokenCue = nil
    if case .token(let token) = answer {
      self.token = token
      if outage != nil {
        outage?.needsToken = false
        outage?.hasNewToken = true
        effects.append(.record(.answered))
      }
      return effects.append(.send(.cued(number)))
    }
    effects.append(.close)
    if outage == nil { outage = Outage(since: now) }
    outage?.failedCalls += 1
    guard !hammers else { return hammerAway(at: now) }
    let reason = "provider_\(answer.reason)"
    if case .refused = answer { return giveUpReturn(reason, into: &effects) }
    guard (outage?.failedCalls ?? 0) < policy.loginTriesMax else { return giveUpReturn(reason, into: &effects) }
    failedAway(reason, at: now, chance: &chance, into: &effects)
  }
}
