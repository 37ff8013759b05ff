internal import GatewayCore
internal import GatewayFaults
internal import GatewayRuntime
internal import GatewayWires

/// A client's WebSocket and the one to the target that belongs to it. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
final class ProxiedConnection: @unchecked Sendable {
  let id: ConnectionID
  let route: ProxyRoute
  /// The server that it leads to.
  let way: ProxyRoute.Way
  private let outside: HandoverAddresses.Outside
  let client: RelayEnd
  let target: RelayEnd
  /// Its lines in the journal; nil if none is kept.
  var record: ConnectionRecord?
  /// The sockets through which faults take effect; nil without a control port.
  private let faulty: (client: FaultySocket, target: FaultySocket)?
  /// The client's request.
  private var asked: HTTPRequest?
  /// The client's upgrade until it is answered.
  private var upgrade: PendingUpgrade?
  /// The target's answer to the upgrade, once it has come.
  private var answer: HTTPResponse?

  init(
    _ id: ConnectionID, on route: ProxyRoute, to way: ProxyRoute.Way, _ outside: HandoverAddresses.Outside
  ) {
    self.id = id
    (self.route, self.way, self.outside) = (route, way, outside)
    client = RelayEnd(isTarget: false, of: id, on: route.loop)
    target = RelayEnd(isTarget: true, of: id, on: route.loop)
    faulty = route.control.map { [client, target] control in
      let upstream = FaultySocket(upstreamOf: target, in: control.faults)
      return (FaultySocket(client, in: control.faults, before: upstream), upstream)
    }
    client.connection = self
    target.connection = self
  }

  /// Dials the target with the client's request; returns the upgrade that is answered as the target answers.
  func open(_ asked: HTTPRequest) -> PendingUpgrade {
    let upgrade = PendingUpgrade { [self] in route.dialer.cancelDial(of: dialled) }
    self.upgrade = upgrade
    self.asked = asked
    record = route.control.map { ConnectionRecord(id, in: $0, reading: $0.eyes(for: asked, id)) }
    var forwarded = asked
    forwarded.headers = route.fields.ofRequest(asked)
    route.dialer.dial(
      way.target.dial, upgrade: forwarded, subprotocols: ForwardedFields.subprotocols(of: asked), handler: dialled)
    return upgrade
  }

  /// The handler of the dial's outcome.
  private var dialled: any SocketHandler { faulty?.target ?? target }

  func targetAnswered(_ answer: HTTPResponse) { self.answer = answer }

  /// Lets the client in, as the target has.
  func targetOpened() {
    let named = answer?.header("sec-websocket-protocol")
    let fields = answer.map { route.fields.ofAnswer($0).filter { !$0.name.hasPrefix("sec-websocket-") } } ?? []
    let upgrade = upgrade
    record?.accepted(asked, answer)
    (self.upgrade, answer, asked) = (nil, nil, nil)
    guard upgrade?.give(.accept(faulty?.client ?? client, subprotocol: named, fields: fields)) != true else { return }
    client.hasEnded = true
    target.abort()
  }

  /// Refuses the client, as the target has, or because the target is not there.
  func targetRefused(_ failure: DialFailure) {
    let (upgrade, answer) = (upgrade, answer)
    (self.upgrade, self.answer) = (nil, nil)
    if var answer, case .refused = failure {
      answer.headers = route.fields.ofAnswer(answer)
      refuse(upgrade, answer)
    } else if let upgrade {
      // A client that has left needs no answer, and its dial has not failed.
      let refusal = ProxyRefusal(failure, of: way.target)
      if refuse(upgrade, refusal.response) { route.report(refusal, of: id) }
    }
    forget()
  }

  /// Refuses the client. Returns false if it has left.
  @discardableResult
  private func refuse(_ upgrade: PendingUpgrade?, _ answer: HTTPResponse) -> Bool {
    guard upgrade?.give(.refuse(answer)) == true else { return false }
    if let asked { route.control?.note(refused: answer, of: asked) }
    return true
  }

  /// Does what an operator has ordered.
  func control(_ event: SessionEvent) {
    switch event {
    case .disconnect(let reason):
      record?.ordered(.disconnect)
      close(reason)
    case .drain:
      record?.ordered(.drain)
      close(.goingAway)
    case .expireNow, .askForRefresh: askForToken(event == .expireNow ? .expiry : .request)
    default: break
    }
  }

  /// Sends an operator's message to the client, or to the gateway if `end` is the target. Returns whether there are words for
  /// it.
  @discardableResult
  func say(_ saying: Saying, to end: RelayEnd) -> Bool {
    switch saying {
    case .frame(let given):
      let frame = record?.eyes?.worded(given) ?? given
      record?.said(frame, toGateway: end === target)
      end.say(frame, .said)
      return true
    case .refreshRequest:
      guard end === client, let eyes = record?.eyes, canAsk else { return false }
      for frame in eyes.request(at: route.loop.wallTime) {
        record?.said(frame, toGateway: false)
        client.say(frame, .refreshRequired)
      }
      return true
    }
  }

  /// Whether the client can be asked for another token in the gateway's words.
  var canAsk: Bool { record?.eyes?.isLoggedIn == true && record?.eyes?.canRequest == true }

  /// Asks the client for another token in the gateway's words, or ends the connection as the gateway would.
  private func askForToken(_ cause: RefreshCause) {
    guard let eyes = record?.eyes, canAsk else { return }
    record?.ordered(cause == .expiry ? .expire : .refresh)
    for frame in eyes.request(at: route.loop.wallTime) {
      record?.asks(frame)
      client.say(frame, .refreshRequired)
    }
    record?.asked(cause)
    if let goodbye = eyes.goodbye { close(goodbye) }
  }

  /// Whether the client's upgrade is not answered yet.
  var isPending: Bool { upgrade != nil }

  /// Drops both without a close frame.
  func abort() {
    client.abort()
    target.abort()
  }

  /// Returns a message of the gateway with the addresses of its hand-overs at the proxy; nil if none changes. Notes where the
  /// client is sent.
  func handingOver(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let record, record.isHandedOver else { return nil }
    return record.eyes?.handingOver(payload, at: route.loop.wallTime) { [self] address, then in
      switch route.addresses.outcome(of: address, at: outside) {
      case .led(let number, let other):
        record.handedOver(to: route.addresses.targets[number].text, then)
        return other
      case .left(let reason):
        record.handedOver(to: nil, then, failure: reason.rawValue)
        route.log(
          .warning, "handover_left",
          [
            LogEvent.Field("reason", reason.rawValue),
            LogEvent.Field("host", String((WebAddress(address)?.host ?? "unknown").prefix(255))),
          ])
        return nil
      }
    }
  }

  /// Returns the other one of the two.
  func other(than end: RelayEnd) -> RelayEnd { end === client ? target : client }

  /// Closes both.
  func close(_ reason: CloseReason) {
    guard upgrade == nil else {
      refuse(upgrade, ProxyRefusal("ending", 503, "the proxy ends").response)
      return route.dialer.cancelDial(of: dialled)
    }
    client.close(reason)
    told(reason)
    target.close(reason)
  }

  /// Notes the end that was reported to the client.
  func told(_ reason: CloseReason) { record?.told(reason, client.otherClose) }

  /// The connection for an operator; nil if its client is not admitted.
  var summary: SessionSummary? { record?.summary(peer: client.peer) }

  /// Forgets the connection when both have ended.
  func ended() {
    if client.hasEnded && target.hasEnded { forget() }
  }

  private func forget() {
    client.connection = nil
    target.connection = nil
    route.forget(self)
  }
}
