internal import GatewayCore
internal import GatewayRuntime

/// A client's WebSocket and the one to the target that belongs to it. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
final class ProxiedConnection: @unchecked Sendable {
  let route: ProxyRoute
  let client: RelayEnd
  let target: RelayEnd
  /// The client's upgrade until it is answered.
  private var upgrade: PendingUpgrade?
  /// The target's answer to the upgrade, once it has come.
  private var answer: HTTPResponse?

  init(on route: ProxyRoute) {
    self.route = route
    client = RelayEnd(isTarget: false, on: route.loop)
    target = RelayEnd(isTarget: true, on: route.loop)
    client.connection = self
    target.connection = self
  }

  /// Dials the target with the client's request; returns the upgrade that is answered as the target answers.
  func open(_ asked: HTTPRequest) -> PendingUpgrade {
    let upgrade = PendingUpgrade { [self] in route.dialer.cancelDial(of: target) }
    self.upgrade = upgrade
    var forwarded = asked
    forwarded.headers = route.fields.ofRequest(asked)
    route.dialer.dial(
      route.target.dial, upgrade: forwarded, subprotocols: ForwardedFields.subprotocols(of: asked), handler: target)
    return upgrade
  }

  func targetAnswered(_ answer: HTTPResponse) { self.answer = answer }

  /// Lets the client in, as the target has.
  func targetOpened() {
    let named = answer?.header("sec-websocket-protocol")
    let fields = answer.map { route.fields.ofAnswer($0).filter { !$0.name.hasPrefix("sec-websocket-") } } ?? []
    let upgrade = upgrade
    (self.upgrade, answer) = (nil, nil)
    guard upgrade?.give(.accept(client, subprotocol: named, fields: fields)) != true else { return }
    client.hasEnded = true
    target.abort()
  }

  /// Refuses the client, as the target has, or because the target is not there.
  func targetRefused(_ failure: DialFailure) {
    let (upgrade, answer) = (upgrade, answer)
    (self.upgrade, self.answer) = (nil, nil)
    if var answer, case .refused = failure {
      answer.headers = route.fields.ofAnswer(answer)
      upgrade?.give(.refuse(answer))
    } else if let upgrade {
      // A client that has left needs no answer, and its dial has not failed.
      let refusal = ProxyRefusal(failure, of: route.target)
      if upgrade.give(.refuse(refusal.response)) { route.report(refusal) }
    }
    forget()
  }

  /// Returns the other one of the two.
  func other(than end: RelayEnd) -> RelayEnd { end === client ? target : client }

  /// Closes both.
  func close(_ reason: CloseReason) {
    guard upgrade == nil else {
      upgrade?.give(.refuse(ProxyRefusal("ending", 503, "the proxy ends").response))
      return route.dialer.cancelDial(of: target)
    }
    client.close(reason)
    target.close(reason)
  }

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
