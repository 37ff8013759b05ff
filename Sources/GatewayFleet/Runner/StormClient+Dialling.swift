internal import GatewayCore
internal import GatewayRuntime

// The way to a socket, with a request before it if necessary.

extension StormClient {
  func dial(_ target: DialTarget) {
    var upgrade = fleet.setup.upgrade(of: identity, memory)
    fleet.traces?.join(&upgrade.request, of: index, to: target.host)
    fleet.dialer.dial(target, upgrade: upgrade.request, subprotocols: upgrade.subprotocols, handler: self)
  }

  /// Handles a dial that failed. If the client never logged in, the report explains the failure in a sentence.
  func refused(_ failure: DialFailure) {
    let gateway = fleet.setup.gateway(of: index)
    if session.logins == 0, let words = failure.sentence(isTLS: gateway.isTLS) {
      fleet.ledger.result.tokens.note("the gateway at \(gateway.host):\(gateway.port): \(words)", on: failure.reason)
    }
    handle(.dialFailed(failure))
  }

  /// Sends the request that the upgrade needs, and dials after its answer.
  func ask(_ request: HTTPRequest, aheadOf target: DialTarget) {
    let timeout = min(fleet.setup.plan.fetchTimeout, fleet.setup.plan.connectTimeout)
    Task.immediate(executorPreference: fleet.loop) {
      let result = await self.fleet.dialer.fetch(request, from: target, timeout: timeout)
      self.answered(result, aheadOf: target)
    }
  }

  private func answered(_ result: Result<HTTPResponse, DialFailure>, aheadOf target: DialTarget) {
    // The dial has taken too long in the meantime, or the storm is over.
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
  /// Returns advice for the failure; nil if the reason in the counts is sufficient.
  ///
  /// - Parameter isTLS: Whether the connection uses TLS.
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
