internal import GatewayCore
internal import GatewayFaults
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
  /// The journal and the faults; nil without a control port.
  let control: ProxyControl?
  private let onFailure: (ProxyRefusal) -> Void
  private(set) var connections: [UInt64: ProxiedConnection] = [:]
  private var lastSerial: UInt64 = 0
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
  ///   - control: The journal and the faults; nil for none.
  ///   - onFailure: Called, on the loop, for each request that the target did not answer.
  package init(
    to target: ProxyTarget, by dialer: any RequestForwarder, on loop: EventLoop, limits: ProxyLimits,
    fields: ForwardedFields, allowsStorms: Bool = false, control: ProxyControl? = nil,
    onFailure: @escaping (ProxyRefusal) -> Void = { _ in }
  ) {
    self.target = target
    self.dialer = dialer
    self.loop = loop
    self.limits = limits
    self.fields = fields
    self.allowsStorms = allowsStorms
    self.control = control
    self.onFailure = onFailure
    dials = limits.dialsPerSecond.map { TokenBucket(rate: $0, capacity: max(1, $0), at: loop.now) }
    requests = limits.requestsPerSecond.map { TokenBucket(rate: $0, capacity: max(1, $0), at: loop.now) }
    bytes = limits.bytesPerSecond.map { ByteBudget(bytesPerSecond: $0) }
  }

  /// The WebSockets that are open or being opened.
  package var connectionCount: Int { connections.count }

  // MARK: Admission

  func admit(_ upgrade: HTTPRequest) -> Admission {
    if let refusal = refusal(of: upgrade, for: target) { return refuse(upgrade, refusal) }
    if let admission = control?.admission(upgrade) { return admission }
    if let refusal = upgradeRefusal() { return refuse(upgrade, refusal) }
    lastSerial += 1
    let connection = ProxiedConnection(ConnectionID(loop: loop.index, serial: lastSerial), on: self)
    connections[lastSerial] = connection
    return .later(connection.open(upgrade))
  }

  private func refuse(_ upgrade: HTTPRequest, _ refusal: ProxyRefusal) -> Admission {
    let response = refusal.response
    control?.note(refused: response, of: upgrade)
    return .refuse(response)
  }

  /// Returns why no request of this kind is sent on; nil if it may be.
  private func refusal(of request: HTTPRequest, for target: ProxyTarget) -> ProxyRefusal? {
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
    guard let control else { return await forward(request, to: target) }
    return await control.answer(request) { await forward($0, to: $1 ?? target) }
  }

  private nonisolated(nonsending) func forward(_ request: HTTPRequest, to target: ProxyTarget) async -> HTTPResponse {
    if let refusal = refusal(of: request, for: target) ?? requestRefusal() { return refusal.response }
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
  func report(_ refusal: ProxyRefusal, of connection: ConnectionID? = nil) {
    control?.journal.write(
      failure: refusal.name, status: refusal.status, by: connection, dialect: BlindWire.number)
    onFailure(refusal)
  }

  // MARK: Connections

  /// Counts a message to the target. Returns how long its client has to wait before the next; nil if it has not.
  func spend(_ count: Int) -> Duration? {
    guard bytes != nil else { return nil }
    bytes?.spend(count, at: loop.now)
    return bytes?.wait(at: loop.now)
  }

  func forget(_ connection: ProxiedConnection) {
    connections[connection.id.serial] = nil
  }

  /// Closes every connection with 1001 on both sides, each at a time of its own within `window`, and accepts no more.
  package nonisolated(nonsending) func drain(over window: Duration) async {
    beginEnd()
    let ends = connections.keys.sorted().map { serial in
      (serial, loop.now + .nanoseconds(Int64(Double(window.nanoseconds) * loop.nextShare())))
    }
    for (serial, end) in ends.sorted(by: { $0.1 < $1.1 }) {
      if end > loop.now { await loop.sleep(until: end, as: "the drain's window") }
      connections[serial]?.control(.drain(until: end))
    }
  }

  /// Admits nobody from here on, and ends the faults, so that what they hold back can end.
  private func beginEnd() {
    isEnding = true
    control?.faults.end()
  }

  /// Closes every connection with 1001 on both sides, and accepts no more.
  package func end() {
    beginEnd()
    for connection in connections.values { connection.close(.goingAway) }
  }
}
