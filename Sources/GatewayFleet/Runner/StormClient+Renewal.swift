internal import GatewayCore
internal import GatewayRuntime

// The request over HTTP that renews an open connection, and tokens that the gateway gives.

extension StormClient {
  /// Sends the request that renews the connection. It goes to the gateway, not to the token provider, and has no place in
  /// the queue for that.
  func renewOverHTTP(_ number: UInt32) -> ClientEvent? {
    guard let request = fleet.setup.dialect.keyRequest(of: identity, memory) else {
      return .fetched(number: number, .failed("unsaid"))
    }
    let gateway = fleet.setup.gateway(of: index)
    fleet.ledger.keyWanted()
    let timeout = fleet.setup.plan.fetchTimeout
    Task.immediate(executorPreference: fleet.loop) {
      let result = await self.fleet.fetchToken(request, from: gateway, .sessionKey, of: self.index, timeout: timeout)
      self.renewed(result, number)
    }
    return nil
  }

  private func renewed(_ result: Result<HTTPResponse, DialFailure>, _ number: UInt32) {
    // The connection may be another by now, and its memory not the answer's.
    guard session.isWaiting(forFetch: number) else { return }
    handle(.fetched(number: number, answer(of: result)))
  }

  private func answer(of result: Result<HTTPResponse, DialFailure>) -> ProviderAnswer {
    let response: HTTPResponse
    switch result {
    case .failure(let failure): return .failed(failure.reason)
    case .success(let success): response = success
    }
    switch fleet.setup.dialect.key(in: response, of: identity, memory) {
    case .renewed(let token, let life):
      if let token { note(pushed: token) }
      if let life {
        endSource = .gateway
        session.clock.toldEnd = fleet.loop.now + life
      }
      return .token(token ?? session.token ?? Credentials(token: ""))
    case .unrenewed(let status, let wait) where status == 429 || status == 503:
      return .busy(status: status, retryAfter: wait)
    case .unrenewed(let status, _): return .refused(status: status)
    case .incomplete(let name): return .failed(name)
    case .refused(let number): return .denied(number: number)
    case .key(let key): return .token(key)
    case nil: return .failed("http_\(response.status)")
    }
  }

  /// Notes the end of a token that the gateway has given.
  func note(pushed token: Credentials) {
    let end = fleet.setup.dialect.end(of: token)
    session.note(endOfToken: end.map { fleet.loop.now + ($0 - fleet.loop.wallTime) })
    if endSource != .gateway { endSource = end == nil ? .unknown : .jwt }
  }
}
