internal import GatewayCore
internal import GatewayRuntime

// Tokens from a described endpoint. Requests with one refresh token wait for each other as the plan says: a rotating
// refresh token that is used twice signs its user out.

extension StormClient {
  func ask(_ ticket: FetchTicket, of endpoint: any TokenEndpoint, _ places: [DialTarget]) {
    let flight = flight
    guard flight?.isPending != true else {
      flight?.join(ticket)
      return fleet.queue.release()
    }
    let device = device(of: endpoint)
    guard !device.jar.isSignedOut || behaviour == .hammering || ticket.purpose.isHopeless else {
      return end(ticket, with: .refused(status: 400))
    }
    let wish = TokenWish(
      user: user(for: ticket.purpose), number: fleet.setup.user(of: index), life: life(for: ticket.purpose),
      isHopeless: ticket.purpose.isHopeless, now: fleet.loop.wallTime, taken: self.memory?.taken ?? [])
    let request: TokenRequest
    do {
      request = try endpoint.request(wish, device.memory)
    } catch {
      fleet.ledger.unsaid("request_unsaid", error)
      return end(ticket, with: .failed("request_unsaid"))
    }
    if let answer = heldBack() { return end(ticket, with: answer) }
    flight?.isPending = true
    let shown = Shown(device, request.isRenewal == true ? device.jar.token : 0, by: index)
    if shown.isAgain { fleet.ledger.refreshTokenShownAgain() }
    fleet.ledger.providerCalled(
      ticket.purpose, by: behaviour, isRenewal: request.isRenewal, at: fleet.loop.now)
    var target = places[request.place]
    target.source = target.source ?? fleet.setup.plan.source(of: index)
    let timeout = fleet.setup.plan.fetchTimeout
    Task.immediate(executorPreference: fleet.loop) { [request, target] in
      let result = await self.fleet.fetchToken(
        request.http, from: target, ticket.purpose, of: self.index, timeout: timeout)
      self.answered(ticket, request, shown, result, endpoint)
    }
  }

  /// A refresh token in a request.
  private struct Shown: Sendable {
    let device: DeviceGrant
    /// Its number; 0 for a request without one.
    let token: UInt32
    /// Whether it was shown before, without an answer.
    let isAgain: Bool

    init(_ device: DeviceGrant, _ token: UInt32, by client: Int) {
      self.device = device
      self.token = token
      isAgain = token > 0 && device.jar.show(by: client)
    }
  }

  private func answered(
    _ ticket: FetchTicket, _ request: TokenRequest, _ shown: Shown, _ result: Result<HTTPResponse, DialFailure>,
    _ endpoint: any TokenEndpoint
  ) {
    let now = fleet.loop.now
    let earlier = shown.device.memory.taken
    let answer =
      switch result {
      case .success(let response):
        endpoint.answer(response, to: request, at: fleet.loop.wallTime, &shown.device.memory)
      case .failure(let failure):
        endpoint.unanswered(request, reason: failure.reason, detail: failure.detail, &shown.device.memory)
      }
    fleet.retries?.note(ProviderAnswer(answer), to: behaviour, number: index, at: now)
    let meant = endpoint.rotates ? heed(answer, result, shown, instead: earlier, at: now) : ProviderAnswer(answer)
    let isWanted = session.isWaiting(forFetch: ticket.number)
    let joined = flight?.land() ?? []
    let takers = joined.filter { takes(answer, $0) }
    fleet.ledger.endpointReturned(
      answer, to: ticket.purpose, isRenewal: request.isRenewal, after: now - ticket.wantedAt,
      isWanted: isWanted || !takers.isEmpty, at: now)
    fleet.ledger.noteBudget(ProviderAnswer(answer), behaviour, &wasRefusedByBudget)
    fleet.queue.release()
    if isWanted { deliver(answer, meant, to: ticket.number) }
    for taker in takers { taker.client.deliver(answer, meant, to: taker) }
    for ticket in joined where ticket.client.wants(ticket) { fleet.queue.request(ticket) }
  }

  /// Returns the meaning of an answer for a client with rotating refresh tokens, and notes it for the device.
  private func heed(
    _ answer: TokenAnswer, _ result: Result<HTTPResponse, DialFailure>, _ shown: Shown, instead earlier: [String?],
    at now: Instant
  ) -> ProviderAnswer {
    let device = shown.device
    switch answer.outcome {
    case .token:
      if device.granted(instead: earlier, at: now) { fleet.ledger.deviceBegan() }
    case .refused where shown.token > 0:
      let refusal = device.jar.refused(shown.token, fleet.setup.grants, at: now)
      fleet.ledger.refreshTokenRefused(refusal, isShownAgain: shown.isAgain)
      // A refused renewal empties the memory, so that the next request is a login.
      if refusal == .superseded || device.jar.isSignedOut { device.memory.taken = earlier }
      if refusal == .superseded { return .failed("superseded") }
    case .busy, .refused, .failed:
      if case .failure = result { device.jar.unanswered(shown.token) }
    }
    return ProviderAnswer(answer)
  }

  /// Returns whether the answer to this client's request serves another ticket. A token does. Any other answer serves
  /// other clients alone: this client has asked for something else by now.
  private func takes(_ answer: TokenAnswer, _ ticket: FetchTicket) -> Bool {
    guard !ticket.purpose.isHopeless, ticket.client.wants(ticket) else { return false }
    if case .token = answer.outcome { return true }
    return ticket.client !== self
  }

  private func deliver(_ answer: TokenAnswer, _ meant: ProviderAnswer, to number: UInt32) {
    if case .token = answer.outcome {
      endSource = answer.endSource
      session.note(endOfToken: answer.end.map { fleet.loop.now + ($0 - fleet.loop.wallTime) })
    }
    handle(.fetched(number: number, meant))
  }

  private nonisolated func deliver(_ answer: TokenAnswer, _ meant: ProviderAnswer, to ticket: FetchTicket) {
    assumeIsolated { client in
      // The client requests no life of its own, but learns, as for its own request, whether its token expires in the
      // storm.
      _ = client.life(for: ticket.purpose)
      client.deliver(answer, meant, to: ticket.number)
    }
  }

  /// The requests with which its own wait; nil if they wait for none.
  var flight: TokenFlight? {
    guard let number = fleet.setup.grants.flight(of: index) else { return nil }
    if let ownFlight { return ownFlight }
    ownFlight = fleet.flight(number)
    return ownFlight
  }

  private func device(of endpoint: any TokenEndpoint) -> DeviceGrant {
    if let ownDevice { return ownDevice }
    let device = fleet.device(fleet.setup.grants.device(of: index)) { DeviceGrant(endpoint.memory()) }
    ownDevice = device
    return device
  }
}
