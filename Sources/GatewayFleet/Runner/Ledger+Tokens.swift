package import GatewayCore

// The counts of requests to the token provider, and of its answers.

extension Ledger {
  /// Counts a request to the provider.
  ///
  /// - Parameters:
  ///   - purpose: The purpose of the request.
  ///   - behaviour: The behaviour of the client.
  ///   - isRenewal: Whether the endpoint received it as a renewal; nil if there is one request for both.
  ///   - now: The time.
  package mutating func providerCalled(
    _ purpose: FetchPurpose, by behaviour: Behaviour, isRenewal: Bool? = nil, at now: Instant
  ) {
    began(at: now)
    if behaviour != .wellBehaved {
      var others = result.provider.callsBy ?? [:]
      result.provider.callsBy = nil
      others[behaviour, default: 0] += 1
      result.provider.callsBy = others
    }
    let isRenewal = isRenewal ?? Self.isRenewal(purpose)
    result.tokens[keyPath: Self.calls(isRenewal)].calls += 1
    if isRenewal {
      count(\.providerRefreshes, at: now)
    } else {
      result.series.providerLogins.count(atSecond: second(now))
      count(\.providerLogins, at: now)
    }
    switch purpose {
    case .login, .sessionKey: return
    case .refresh(let call), .hopelessRefresh(let call): result.provider.count(refreshCall: call)
    }
  }

  /// Counts an answer of the provider.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - purpose: The purpose of the request.
  ///   - isRenewal: Whether the request showed a refresh token; nil if none rotate.
  ///   - duration: The time from the need for a token.
  ///   - isWanted: Whether a client still waits for the answer.
  ///   - now: The time.
  package mutating func providerReturned(
    _ answer: ProviderAnswer, to purpose: FetchPurpose, isRenewal: Bool? = nil, after duration: Duration,
    isWanted: Bool = true, at now: Instant
  ) {
    let label: String
    switch answer {
    case .token: label = "token"
    case .busy(let status, _), .refused(let status), .denied(let status): label = "http_\(status)"
    case .failed(let problem): label = problem
    }
    providerReturned(
      answer, label: label, sentence: nil, to: purpose, isRenewal: isRenewal, after: duration, isWanted: isWanted,
      at: now)
  }

  /// Counts an answer of a described endpoint, which has labels of its own.
  mutating func endpointReturned(
    _ answer: TokenAnswer, to purpose: FetchPurpose, isRenewal: Bool?, after duration: Duration, isWanted: Bool,
    at now: Instant
  ) {
    providerReturned(
      ProviderAnswer(answer), label: answer.label, sentence: answer.sentence, to: purpose, isRenewal: isRenewal,
      after: duration, isWanted: isWanted, at: now)
    let calls = Self.calls(isRenewal ?? Self.isRenewal(purpose))
    if answer.isSameToken { result.tokens[keyPath: calls].sameToken += 1 }
    if let life = answer.life { result.tokens.note(life: life) }
    if let offset = answer.clockOffset { result.tokens.note(clockOffset: offset) }
    guard let sentence = answer.sentence else { return }
    if case .token = answer.outcome {
      result.tokens.note(sentence, on: answer.end == nil ? "no_end" : "ended_before")
    } else {
      result.tokens.note(sentence, on: answer.label)
    }
  }

  private mutating func providerReturned(
    _ answer: ProviderAnswer, label: String, sentence: String?, to purpose: FetchPurpose, isRenewal: Bool?,
    after duration: Duration, isWanted: Bool, at now: Instant
  ) {
    ended(fetchAt: now)
    if !purpose.isHopeless {
      let isGiven = if case .token = answer { true } else { false }
      let words = sentence.map { ": \($0)" } ?? ""
      let call = isRenewal ?? Self.isRenewal(purpose) ? "renewal" : "login"
      concluded(refusal: isGiven ? nil : "no token for a \(call), \(label)\(words)")
    }
    let isFirst = purpose == .login
    let took = timed(.provider, duration, at: now, startsByPlan: isFirst)
    result.latencies.provider.record(took)
    let calls = Self.calls(isRenewal ?? Self.isRenewal(purpose))
    switch answer {
    case .token:
      result.provider.granted += 1
      if result.latencies.granted == nil { result.latencies.granted = LatencyHistogram() }
      result.latencies.granted?.record(took)
      result.tokens[keyPath: calls].granted += 1
      if case .refresh = purpose { count(\.providerGrants, at: now) }
      if isWanted {
        result.series.providerUseful.count(atSecond: second(now))
      } else {
        result.provider.wasted += 1
      }
      return
    case .busy(_, let wait):
      result.tokens[keyPath: calls].busy += 1
      if result.tokens.told == nil { result.tokens.told = ToldWaits() }
      result.tokens.told?.note(wait)
    case .refused, .denied: result.tokens[keyPath: calls].refused.count(label)
    case .failed: result.tokens[keyPath: calls].failed.count(label)
    }
    result.provider.refused.count(label)
  }

  /// Counts a request that could not be built.
  mutating func unsaid(_ reason: String, _ error: TokenEndpointError) {
    concluded(refusal: "a token could not be asked for: \(error.sentence)")
    result.tokens.note(error.sentence, on: reason)
  }

  package mutating func minted() {
    result.provider.mintedLocally += 1
  }

  /// Counts a login with a token of unknown end.
  mutating func loggedInWithoutEnd() {
    result.tokens.endless += 1
  }

  /// Notes, once at the end, the source of a client's token end.
  mutating func close(endToldBy source: EndSource) {
    result.tokens.ends[source, default: 0] += 1
  }

  /// Counts a client that gave up, if the reason lies with the provider.
  mutating func gaveUp(_ reason: String, isRenewal: Bool) {
    guard reason.hasPrefix("provider_") else { return }
    result.tokens[keyPath: Self.calls(isRenewal)].givenUp += 1
  }

  private static func isRenewal(_ purpose: FetchPurpose) -> Bool {
    switch purpose {
    case .refresh, .hopelessRefresh: true
    case .login, .sessionKey: false
    }
  }

  private static func calls(_ isRenewal: Bool) -> WritableKeyPath<StormResult.Tokens, StormResult.TokenCalls> {
    isRenewal ? \.refresh : \.login
  }
}

extension StormResult.Provider {
  /// Counts the `refreshCall`-th request to the provider for one refresh request.
  fileprivate mutating func count(refreshCall: Int) {
    refreshCalls += 1
    longestRound = max(longestRound, refreshCall)
    if refreshCall == 1 { refreshRounds += 1 }
  }
}
