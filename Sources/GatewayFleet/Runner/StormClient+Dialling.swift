internal import GatewayCore
internal import GatewayRuntime

// How a client gets its socket, where need be with a request ahead of it.

extension StormClient {
  func dial(_ target: DialTarget) {
    let upgrade = fleet.setup.upgrade(of: identity, memory)
    fleet.dialer.dial(target, upgrade: upgrade.request, subprotocols: upgrade.subprotocols, handler: self)
  }

  /// Asks the gateway for what the upgrade needs, and dials when that has come.
  func ask(_ request: HTTPRequest, aheadOf target: DialTarget) {
    let timeout = min(fleet.setup.plan.fetchTimeout, fleet.setup.plan.connectTimeout)
    Task.immediate(executorPreference: fleet.loop) {
      let result = await self.fleet.dialer.fetch(request, from: target, timeout: timeout)
      self.answered(result, aheadOf: target)
    }
  }

  private func answered(_ result: Result<HTTPResponse, DialFailure>, aheadOf target: DialTarget) {
    // It has taken too long meanwhile, or the storm is over.
    guard session.isDialling else { return handle(.dialFailed(.timedOut)) }
    switch result {
    case .failure(let failure): handle(.dialFailed(failure))
    case .success(let response) where !(200..<300).contains(response.status):
      handle(.dialFailed(.refused(status: response.status)))
    case .success(let response):
      guard let reason = fleet.setup.dialect.heed(response, of: identity, memory) else { return dial(target) }
      fleet.ledger.record(.error(reason), behaviour, at: fleet.loop.now)
      handle(.dialFailed(.refused(status: response.status)))
    }
  }
}
