internal import GatewayCore
internal import GatewayRuntime

// The sources of a client's tokens.

extension StormClient {
  /// Notes the source and, if the dialect can read it, the end of the token in the provider's answer.
  func take(_ answer: ProviderAnswer) {
    guard case .token(let token) = answer else { return }
    endSource = .asked
    guard let end = fleet.setup.dialect.end(of: token) else { return }
    endSource = .jwt
    session.note(endOfToken: fleet.loop.now + (end - fleet.loop.wallTime))
  }

  func ask(_ ticket: FetchTicket) {
    if ticket.purpose == .sessionKey { return askForKey(ticket) }
    if case .endpoint(let endpoint, let places) = fleet.setup.tokens { return ask(ticket, of: endpoint, places) }
    guard case .provider(var provider, let path) = fleet.setup.tokens else { return }
    if let answer = heldBack() { return end(ticket, with: answer) }
    provider.source = fleet.setup.plan.source(of: index)
    let user = user(for: ticket.purpose)
    let life = life(for: ticket.purpose)
    var request = fleet.setup.dialect.tokenRequest(for: user, life: life, at: fleet.loop.wallTime)
    if let path { request.path = path }
    let registration = isRegistered ? nil : fleet.setup.dialect.registration(of: user)
    isRegistered = true
    fleet.ledger.providerCalled(ticket.purpose, by: behaviour, at: fleet.loop.now)
    let timeout = fleet.setup.plan.fetchTimeout
    Task.immediate(executorPreference: fleet.loop) { [request, provider] in
      if let registration { _ = await self.fleet.dialer.fetch(registration, from: provider, timeout: timeout) }
      let sent = self.fleet.loop.wallTime
      let result = await self.fleet.fetchToken(
        request, from: provider, ticket.purpose, of: self.index, timeout: timeout)
      self.noteClock(of: result, since: sent)
      let answer = ProviderAnswer(result, self.fleet.setup.dialect, at: self.fleet.loop.wallTime)
      if case .refused(status: 400) = answer, self.isOver(life) { return self.askAgain(ticket, instead: answer) }
      self.note(result, of: provider)
      self.answered(ticket, answer)
    }
  }

  /// Explains in the report why the provider could not be reached.
  private func note(_ result: Result<HTTPResponse, DialFailure>, of provider: DialTarget) {
    guard session.logins == 0 else { return }
    let failure: DialFailure
    switch result {
    case .failure(.timedOut), .failure(.refused): return
    case .failure(let reason): failure = reason
    case .success(let response) where response.status == 400 && !provider.isTLS: failure = .refused(status: 400)
    case .success: return
    }
    let hint = failure.addressHint(of: provider, besides: fleet.setup.gateway(of: index))
    fleet.ledger.result.tokens.note(
      "the token provider at \(provider.host):\(provider.port): \(failure.detail)\(hint)", on: failure.reason)
  }

  /// Asks for a token that outlives the storm, since the one that was asked for would have expired by now: the client came
  /// too late for the common expiry. It keeps its place among the requests.
  private func askAgain(_ ticket: FetchTicket, instead answer: ProviderAnswer) {
    let now = fleet.loop.now
    fleet.ledger.providerReturned(
      answer, to: ticket.purpose, after: now - ticket.wantedAt, isWanted: session.isWaiting(forFetch: ticket.number),
      at: now)
    guard session.isWaiting(forFetch: ticket.number) else { return fleet.queue.release() }
    ask(ticket)
  }

  /// Returns whether a token of that life would have expired by now, so that no provider grants it.
  private func isOver(_ life: TokenLife) -> Bool {
    if case .until(let end) = life { end <= fleet.loop.wallTime } else { false }
  }

  /// Reports a provider whose clock differs from the storm's. Checks one answer a second.
  private func noteClock(of result: Result<HTTPResponse, DialFailure>, since sent: WallTime) {
    guard case .success(let response) = result, let date = response.header("date"), date != fleet.lastDate else {
      return
    }
    fleet.lastDate = date
    guard let offset = response.clockOffset(from: sent, to: fleet.loop.wallTime) else { return }
    let seconds = Int(abs(offset.inSeconds).rounded())
    fleet.ledger.result.tokens.note(
      "the token provider's clock is \(seconds) s \(offset > .zero ? "ahead of" : "behind") ours: its tokens may be refused "
        + "as not yet valid, or end at another time than they say",
      on: "clock")
  }

  private func askForKey(_ ticket: FetchTicket) {
    guard let request = fleet.setup.dialect.keyRequest(of: identity) else { return fleet.queue.release() }
    let gateway = fleet.setup.gateway(of: index)
    fleet.ledger.keyWanted()
    let timeout = fleet.setup.plan.fetchTimeout
    Task.immediate(executorPreference: fleet.loop) {
      let result = await self.fleet.fetchToken(
        request, from: gateway, ticket.purpose, of: self.index, timeout: timeout)
      self.fleet.queue.release()
      self.handle(.fetched(number: ticket.number, ProviderAnswer(key: result, self.fleet.setup.dialect)))
    }
  }

  /// Returns the answer that the client gets in place of a call, by the fleet's rule for retries; nil if it calls.
  func heldBack() -> ProviderAnswer? {
    guard let answer = fleet.retries?.hold(session, number: index, at: fleet.loop.now) else { return nil }
    fleet.ledger.heldBack()
    return answer
  }

  /// Delivers a result without a request. It comes later on the loop, since the client is in the middle of handling an
  /// event.
  func end(_ ticket: FetchTicket, with answer: ProviderAnswer) {
    fleet.loop.execute {
      self.assumeIsolated { $0.fleet.queue.release() }
      self.assumeIsolated { $0.handle(.fetched(number: ticket.number, answer)) }
    }
  }

  private func answered(_ ticket: FetchTicket, _ answer: ProviderAnswer) {
    let now = fleet.loop.now
    fleet.retries?.note(answer, to: behaviour, number: index, at: now)
    fleet.ledger.providerReturned(
      answer, to: ticket.purpose, after: now - ticket.wantedAt, isWanted: session.isWaiting(forFetch: ticket.number),
      at: now)
    fleet.ledger.noteBudget(answer, behaviour, &wasRefusedByBudget)
    fleet.queue.release()
    if session.isWaiting(forFetch: ticket.number) { take(answer) }
    handle(.fetched(number: ticket.number, answer))
  }

  func mint(_ issuer: any TokenIssuer, _ purpose: FetchPurpose) -> ProviderAnswer {
    if purpose.isHopeless { return .refused(status: 403) }
    let now = fleet.loop.wallTime
    let expiry =
      switch life(for: purpose) {
      case .lasting(let duration): now + duration
      case .until(let time): time
      }
    if !isForger { fleet.ledger.minted() }
    if let trial = fleet.setup.trial {
      return .token(trial.mint(for: index, user: user(for: purpose), issuedAt: now, expiresAt: expiry))
    }
    return .token(issuer.mint(user: user(for: purpose), kind: .regular, issuedAt: now, expiresAt: expiry, calls: nil))
  }

  /// The beginning of a user name that every provider refuses, since it is longer than the maximum. No two clients have
  /// the same, so that a budget by user counts each alone.
  private static let impossibleUser = String(repeating: "x", count: UserID.lengthMax + 1)

  func user(for purpose: FetchPurpose) -> UserID {
    if purpose.isHopeless { return UserID("\(Self.impossibleUser)-\(fleet.setup.plan.number(of: index))") }
    if case .endpoint(let endpoint, _) = fleet.setup.tokens {
      return endpoint.user(of: fleet.setup.user(of: index))
    }
    return UserID("storm-\(fleet.setup.plan.number(of: index))")
  }

  func life(for purpose: FetchPurpose) -> TokenLife {
    let expiry = fleet.setup.expiresAt
    let asked = session.life(
      for: purpose, in: fleet.setup.plan, of: index, commonExpiry: expiry.map { $0 - fleet.loop.wallTime },
      chance: &generator)
    switch asked {
    case .untilCommonExpiry(let scattered): return .until((expiry ?? fleet.loop.wallTime) + scattered)
    case .lasting(let life): return .lasting(life)
    }
  }
}
