internal import GatewayCore
internal import GatewayFaults
package import GatewayRuntime
internal import GatewayWires

/// A proxy in front of one target: its limits, its open connections, and the way of each request. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
package final class ProxyRoute: @unchecked Sendable {
  /// A server that clients reach, and the load on its host.
  struct Way {
    let target: ProxyTarget
    let load: HostLoad
  }

  /// The ways to the target and to the others that it may send clients to.
  private let ways: [Way]
  /// The addresses of hand-overs.
  let addresses: HandoverAddresses
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
  ///   - others: The other servers to which the target may send its clients, with the load on their hosts.
  ///   - onFailure: Called, on the loop, for each request that the target did not answer.
  package init(
    to target: ProxyTarget, by dialer: any RequestForwarder, on loop: EventLoop, load: HostLoad,
    fields: ForwardedFields, allowsStorms: Bool = false, control: ProxyControl? = nil,
    others: [(target: ProxyTarget, load: HostLoad)] = [],
    onFailure: @escaping (ProxyRefusal) -> Void = { _ in }
  ) {
    ways = [Way(target: target, load: load)] + others.map { Way(target: $0.target, load: $0.load) }
    addresses = HandoverAddresses(targets: [target] + others.map(\.target))
    self.dialer = dialer
    self.loop = loop
    self.fields = fields
    self.allowsStorms = allowsStorms
    self.control = control
    self.onFailure = onFailure
  }

  package var target: ProxyTarget { ways[0].target }

  /// The WebSockets that are open or being opened.
  package var connectionCount: Int { connections.count }

  // MARK: Admission

  func admit(_ asked: HTTPRequest) -> Admission {
    let (number, upgrade) = addresses.place(of: asked)
    let way = ways[number]
    if let refusal = refusal(of: upgrade, for: way.target) { return refuse(upgrade, refusal) }
    if let admission = control?.admission(upgrade) { return admission }
    if let excess = way.load.open() { return refuse(upgrade, cap(excess, at: way.target)) }
    lastSerial += 1
    let id = ConnectionID(loop: loop.index, serial: lastSerial)
    let connection = ProxiedConnection(id, on: self, to: way, HandoverAddresses.Outside(upgrade, target: number))
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

  private func cap(_ excess: HostLoad.Excess, at target: ProxyTarget) -> ProxyRefusal {
    ProxyRefusal(
      "cap", 429, "\(excess.limit) to \(target.dial.host) are allowed; nothing was sent on", retryAfter: excess.wait)
  }

  // MARK: Requests

  nonisolated(nonsending) func respond(to request: HTTPRequest) async -> HTTPResponse {
    let (number, asked) = addresses.place(of: request)
    let way = ways[number]
    guard let control else { return await forward(asked, to: way.target, on: way) }
    guard let renewal = control.wire?.renewal(asked) else { return await answer(asked, on: way, control) }
    let renewed = connections.keys.sorted().compactMap { connections[$0] }.filter {
      $0.record?.eyes?.isRenewed(by: renewal) == true
    }
    for connection in renewed { connection.record?.eyes?.asked(by: renewal) }
    var forwarded = asked
    if renewal.needsAnswer { forwarded.headers.removeAll { $0.name == "accept-encoding" } }
    var response = await answer(forwarded, on: way, control)
    if renewal.needsAnswer { _ = await WholeBody.read(&response, atMost: Self.renewalBytesMax) }
    for connection in renewed { connection.record?.answered(renewal, by: response) }
    control.shorten(&response, to: renewal, of: renewed.map(\.id))
    return response
  }

  /// The largest answer that is read for the token in it.
  private static let renewalBytesMax = 1 << 20

  private nonisolated(nonsending) func answer(
    _ request: HTTPRequest, on way: Way, _ control: ProxyControl
  ) async -> HTTPResponse {
    await control.answer(request) { request, target in
      await forward(request, to: target ?? way.target, on: way)
    }
  }

  private nonisolated(nonsending) func forward(
    _ request: HTTPRequest, to target: ProxyTarget, on way: Way
  ) async -> HTTPResponse {
    let refusal =
      refusal(of: request, for: target) ?? way.load.request(ofBytes: request.body.count).map { cap($0, at: way.target) }
    if let refusal { return refusal.response }
    var forwarded = request
    forwarded.headers = fields.ofRequest(request)
    forwarded.stream = request.stream.map { way.load.slowing($0) }
    switch await dialer.forward(forwarded, to: target.dial) {
    case .success(var answer):
      answer.headers = fields.ofAnswer(answer)
      return answer
    case .failure(let failure):
      let refusal = ProxyRefusal(failure, of: target)
      // A client that has left needs no answer, and its request has not failed.
      if HTTPCall.caller?.hasGone != true, forwarded.stream?.isCut() != true { report(refusal) }
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

  func forget(_ connection: ProxiedConnection) {
    guard connections.removeValue(forKey: connection.id.serial) != nil else { return }
    connection.way.load.close()
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
