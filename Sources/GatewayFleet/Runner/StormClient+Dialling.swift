internal import GatewayCore
internal import GatewayRuntime

// How a client gets its socket, where need be with a request ahead of it.

extension StormClient {
  func dial(_ target: DialTarget) {
    let upgrade = fleet.setup.upgrade(of: identity, memory)
    fleet.dialer.dial(target, upgrade: upgrade.request, subprotocols: upgrade.subprotocols, handler: self)
  }

  /// It did not open. Of one that never was, the report says why in a sentence.
  func refused(_ failure: DialFailure) {
    let gateway = fleet.setup.gateway(of: index)
    if session.logins == 0, let words = failure.sentence(isTLS: gateway.isTLS) {
      fleet.ledger.result.tokens.note("the gateway at \(gateway.host):\(gateway.port): \(words)", on: failure.reason)
    }
    handle(.dialFailed(failure))
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

extension DialFailure {
  /// What leads to the mend; nil where the reason in the counts says all.
  ///
  /// - Parameter isTLS: Whether TLS was spoken, or was to be.
  fileprivate func sentence(isTLS: Bool) -> String? {
    switch self {
    case .unreachable(let text): text + addressHint(isTLS: isTLS)
    case .insecure(let failure) where failure.isOfCertificate: "\(failure); --insecure takes any"
    case .insecure(let failure): "\(failure)" + addressHint(isTLS: isTLS)
    case .refused(let status) where status == 404 || (200..<400).contains(status):
      "it was answered \(status), so no WebSocket is there; --url, or \"path\" of \"connect\" in a description, says where one is"
    case .refused(let status) where status == 400 && !isTLS: "it was answered 400" + addressHint(isTLS: false)
    case .refused, .timedOut: nil
    }
  }
}

extension TLSFailure {
  fileprivate var isOfCertificate: Bool {
    [.untrusted, .wrongName, .expired, .notYetValid, .badCertificate].contains(self)
  }
}
