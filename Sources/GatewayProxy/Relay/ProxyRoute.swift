internal import GatewayCore
package import GatewayRuntime

/// A proxy in front of one target: its limits, its open connections, and the way of each request. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
package final class ProxyRoute: @unchecked Sendable {
  package let target: ProxyTarget
  package let limits: ProxyLimits
  let fields: ForwardedFields
  let dialer: any RequestForwarder
  let loop: EventLoop
  private let allowsStorms: Bool
  private let onFailure: (ProxyRefusal) -> Void
  private var connections: [ObjectIdentifier: ProxiedConnection] = [:]
  private var dials: TokenBucket?
  private var requests: TokenBucket?
  private var bytes: ByteBudget?
  private var isEnding = false

  /// The largest body of a request; it is read whole before it is sent on.
  package static let bodyBytesMax = 8 << 20

  /// Creates a route.
  ///
  /// - Parameters:
  ///   - allowsStorms: Whether requests of a storm may reach a target that is not on this machine.
  ///   - onFailure: Called, on the loop, for each request that the target did not answer.
  package init(
    to target: ProxyTarget, by dialer: any RequestForwarder, on loop: EventLoop, limits: ProxyLimits,
    fields: ForwardedFields, allowsStorms: Bool = false, onFailure: @escaping (ProxyRefusal) -> Void = { _ in }
  ) {
    self.target = target
    self.dialer = dialer
    self.loop = loop
    self.limits = limits
    self.fields = fields
    self.allowsStorms = allowsStorms
    self.onFailure = onFailure
    dials = limits.dialsPerSecond.map { TokenBucket(rate: $0, capacity: max(1, $0), at: loop.now) }
    requests = limits.requestsPerSecond.map { TokenBucket(rate: $0, capacity: max(1, $0), at: loop.now) }
    bytes = limits.bytesPerSecond.map { ByteBudget(bytesPerSecond: $0) }
  }

  /// The WebSockets that are open or being opened.
  package var connectionCount: Int { connections.count }

  // MARK: Admission

  func admit(_ upgrade: HTTPRequest) -> Admission {
    if let refusal = refusal(of: upgrade) ?? upgradeRefusal() { return .refuse(refusal.response) }
    let connection = ProxiedConnection(on: self)
    connections[ObjectIdentifier(connection)] = connection
    return .later(connection.open(upgrade))
  }

  /// Returns why no request of this kind is sent on; nil if it may be.
  private func refusal(of request: HTTPRequest) -> ProxyRefusal? {
    if isEnding { return ProxyRefusal("ending", 503, "the proxy ends") }
    if fields.hasPassed(request) {
      return ProxyRefusal("loop", 508, "the request has passed this proxy before: --to leads back to it")
    }
    if !target.isLocal, !allowsStorms, request.header(Self.stormField) != nil {
      let host = target.dial.host
      return ProxyRefusal(
        "storm", 403, "the request is a storm's, and \(host) is not this machine; see --i-may-storm of postern proxy")
    }
    return nil
  }

  /// The field by which a storm marks its requests.
  private static let stormField = "postern-storm"

  private func upgradeRefusal() -> ProxyRefusal? {
    guard connections.count < limits.connections else {
      return cap("\(limits.connections) connections", .seconds(1))
    }
    guard let wait = dials?.takeOrWait(at: loop.now) else { return nil }
    return cap("\(ProxyLimits.text(limits.dialsPerSecond)) dials/s", wait)
  }

  private func requestRefusal() -> ProxyRefusal? {
    if let wait = bytes?.wait(at: loop.now) { return cap("\(ProxyLimits.text(limits.bytesPerSecond)) bytes/s", wait) }
    guard let wait = requests?.takeOrWait(at: loop.now) else { return nil }
    return cap("\(ProxyLimits.text(limits.requestsPerSecond)) requests/s", wait)
  }

  private func cap(_ limit: String, _ wait: Duration) -> ProxyRefusal {
    ProxyRefusal("cap", 429, "\(limit) to \(target.dial.host) are allowed; nothing was sent on", retryAfter: wait)
  }

  // MARK: Requests

  nonisolated(nonsending) func respond(to request: HTTPRequest) async -> HTTPResponse {
    if let refusal = refusal(of: request) ?? requestRefusal() { return refusal.response }
    bytes?.spend(request.body.count, at: loop.now)
    var forwarded = request
    forwarded.headers = fields.ofRequest(request)
    switch await dialer.forward(forwarded, to: target.dial) {
    case .success(var answer):
      answer.headers = fields.ofAnswer(answer)
      return answer
    case .failure(let failure):
      let refusal = ProxyRefusal(failure, of: target)
      // A client that has left needs no answer, and its request has not failed.
      if HTTPCall.caller?.hasGone != true { report(refusal) }
      return refusal.response
    }
  }

  /// Reports a request that the target did not answer.
  func report(_ refusal: ProxyRefusal) { onFailure(refusal) }

  // MARK: Connections

  /// Counts a message to the target. Returns how long its client has to wait before the next; nil if it has not.
  func spend(_ count: Int) -> Duration? {
    guard bytes != nil else { return nil }
    bytes?.spend(count, at: loop.now)
    return bytes?.wait(at: loop.now)
  }

  func forget(_ connection: ProxiedConnection) {
    connections[ObjectIdentifier(connection)] = nil
  }

  /// Closes every connection with 1001 on both sides, and accepts no more.
  package func end() {
    isEnding = true
    for connection in connections.values { connection.close(.goingAway) }
  }
}
