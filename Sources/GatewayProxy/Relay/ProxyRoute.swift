internal import GatewayCore
internal import GatewayFaults
package import GatewayRuntime

/// A proxy in front of one target: its limits, its open connections, and the way of each request. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
package final class ProxyRoute: @unchecked Sendable {
  package let target: ProxyTarget
  private let load: HostLoad
  let fields: ForwardedFields
  let dialer: any RequestForwarder
  let loop: EventLoop
  private let allowsStorms: Bool
  /// The journal and the faults; nil without a control port.
  let control: ProxyControl?
  private let onFailure: (ProxyRefusal) -> Void
  private(set) var connections: [UInt64: ProxiedConnection] = [:]
  private var lastSerial: UInt64 = 0
  private var isEnding = false
  /// Called when the last connection has ended.
  private var whenIdle: () -> Void = {}

  /// The largest body of a request; it is read whole before it is sent on.
  package static let bodyBytesMax = 8 << 20

  /// Creates a route.
  ///
  /// - Parameters:
  ///   - target: The server that it leads to.
  ///   - dialer: The dialer of its connections.
  ///   - loop: The loop of the route.
  ///   - load: The load on the target's host, with its limits.
  ///   - fields: The header fields that are passed on.
  ///   - allowsStorms: Whether requests of a storm may reach a target that is not on this machine.
  ///   - control: The journal and the faults; nil for none.
  ///   - onFailure: Called, on the loop, for each request that the target did not answer.
  package init(
    to target: ProxyTarget, by dialer: any RequestForwarder, on loop: EventLoop, load: HostLoad,
    fields: ForwardedFields, allowsStorms: Bool = false, control: ProxyControl? = nil,
    onFailure: @escaping (ProxyRefusal) -> Void = { _ in }
  ) {
    self.target = target
    self.dialer = dialer
    self.loop = loop
    self.load = load
    self.fields = fields
    self.allowsStorms = allowsStorms
    self.control = control
    self.onFailure = onFailure
  }

  /// The WebSockets that are open or being opened.
  package var connectionCount: Int { connections.count }

  // MARK: Admission

  func admit(_ upgrade: HTTPRequest) -> Admission {
    if let refusal = refusal(of: upgrade, for: target) { return refuse(upgrade, refusal) }
    if let admission = control?.admission(upgrade) { return admission }
    if let excess = load.open() { return refuse(upgrade, cap(excess)) }
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

  private func cap(_ excess: HostLoad.Excess) -> ProxyRefusal {
    ProxyRefusal(
      "cap", 429, "\(excess.limit) to \(target.dial.host) are allowed; nothing was sent on", retryAfter: excess.wait)
  }

  // MARK: Requests

  nonisolated(nonsending) func respond(to request: HTTPRequest) async -> HTTPResponse {
    guard let control else { return await forward(request, to: target) }
    return await control.answer(request) { await forward($0, to: $1 ?? target) }
  }

  private nonisolated(nonsending) func forward(_ request: HTTPRequest, to target: ProxyTarget) async -> HTTPResponse {
    if let refusal = refusal(of: request, for: target) ?? load.request(ofBytes: request.body.count).map(cap) {
      return refusal.response
    }
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
  func spend(_ count: Int) -> Duration? { load.spend(count) }

  func forget(_ connection: ProxiedConnection) {
    guard connections.removeValue(forKey: connection.id.serial) != nil else { return }
    load.close()
    if connections.isEmpty { whenIdle() }
  }

  /// Closes every connection with 1001 on both sides, each at another time within `window`, and accepts no more.
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

  /// Admits no more clients, and ends the faults, so that held-back messages can be sent.
  private func beginEnd() {
    isEnding = true
    control?.faults.end()
  }

  /// Admits no more clients, and refuses those whose upgrade is not answered yet.
  ///
  /// - Parameter whenIdle: Called when the last connection has ended.
  func beginEnd(whenIdle: @escaping () -> Void) {
    self.whenIdle = whenIdle
    beginEnd()
    for connection in connections.values where connection.isPending { connection.close(.goingAway) }
  }

  /// Drops what is left of every connection.
  func abort() {
    for connection in connections.values { connection.abort() }
  }

  /// Closes every connection with 1001 on both sides, and accepts no more.
  package func end() {
    beginEnd()
    for connection in connections.values { connection.close(.goingAway) }
  }
}
