internal import GatewayCore
internal import GatewayRuntime

// Tokens from a described endpoint. A client has one pending request at a time: a rotating refresh token that is used
// twice signs its user out.

extension StormClient {
  func ask(_ ticket: FetchTicket, of endpoint: any TokenEndpoint, _ places: [DialTarget]) {
    let memory = tokenMemory ?? endpoint.memory()
    let wish = TokenWish(
      user: user(for: ticket.purpose), number: index, life: life(for: ticket.purpose),
      isHopeless: ticket.purpose.isHopeless, now: fleet.loop.wallTime, taken: self.memory?.taken ?? [])
    let request: TokenRequest
    do {
      request = try endpoint.request(wish, memory)
    } catch {
      fleet.ledger.unsaid("request_unsaid", error)
      // The result is delivered later on the loop, since the client is in the middle of handling an event.
      fleet.loop.execute {
        self.assumeIsolated { $0.fleet.queue.release() }
        self.assumeIsolated { $0.handle(.fetched(number: ticket.number, .failed("request_unsaid"))) }
      }
      return
    }
    isAskingEndpoint = true
    fleet.ledger.providerCalled(
      ticket.purpose, by: behaviour, isRenewal: request.isRenewal, at: fleet.loop.now)
    var target = places[request.place]
    target.source = target.source ?? fleet.setup.plan.source(of: index)
    let timeout = fleet.setup.plan.fetchTimeout
    Task.immediate(executorPreference: fleet.loop) { [request, target] in
      let result = await self.fleet.dialer.fetch(request.http, from: target, timeout: timeout)
      self.answered(ticket, request, result, endpoint)
    }
  }

  private func answered(
    _ ticket: FetchTicket, _ request: TokenRequest, _ result: Result<HTTPResponse, DialFailure>,
    _ endpoint: any TokenEndpoint
  ) {
    isAskingEndpoint = false
    let now = fleet.loop.now
    var memory = tokenMemory ?? endpoint.memory()
    let answer =
      switch result {
      case .success(let response): endpoint.answer(response, to: request, at: fleet.loop.wallTime, &memory)
      case .failure(let failure):
        endpoint.unanswered(request, reason: failure.reason, detail: failure.detail, &memory)
      }
    tokenMemory = memory
    let isWanted = session.isWaiting(forFetch: ticket.number)
    let next = joined
    joined = nil
    let joins = !isWanted && next.map { isGood(answer, for: $0) } ?? false
    fleet.ledger.endpointReturned(
      answer, to: ticket.purpose, isRenewal: request.isRenewal, after: now - ticket.wantedAt,
      isWanted: isWanted || joins, at: now)
    fleet.ledger.noteBudget(ProviderAnswer(answer), behaviour, &wasRefusedByBudget)
    fleet.queue.release()
    if isWanted || joins { note(answer) }
    if isWanted {
      handle(.fetched(number: ticket.number, ProviderAnswer(answer)))
    } else if joins, let next {
      handle(.fetched(number: next.number, ProviderAnswer(answer)))
    } else if let next, session.isWaiting(forFetch: next.number) {
      fleet.queue.request(next)
    }
  }

  /// Returns whether a late answer to an earlier request serves the client's current one.
  private func isGood(_ answer: TokenAnswer, for ticket: FetchTicket) -> Bool {
    guard case .token = answer.outcome, !ticket.purpose.isHopeless else { return false }
    return session.isWaiting(forFetch: ticket.number)
  }

  private func note(_ answer: TokenAnswer) {
    guard case .token = answer.outcome else { return }
    endSource = answer.endSource
    session.note(endOfToken: answer.end.map { fleet.loop.now + ($0 - fleet.loop.wallTime) })
  }
}
