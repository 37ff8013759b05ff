import GatewayCore
import GatewayRuntime

@testable import GatewayFleet

// The events that can happen in a state.

extension ClientExploration {
  func steps(from node: Node) -> [Step] {
    events(node).flatMap { event in Self.seeds.map { Step(event: event, seed: $0) } }
  }

  private func events(_ node: Node) -> [ClientEvent] {
    guard node.session.phase != .ended else { return [] }
    var events: [ClientEvent] = node.session.nextDeadline == nil ? [] : [.wakeUp]
    events += answers(node.session)
    switch node.witness.transport {
    case .none: break
    case .dialling:
      events += [
        .opened, .dialFailed(.timedOut), .dialFailed(.refused(status: 503)), .dialFailed(.refused(status: 401)),
      ]
    case .open: events += notices + [.closed(1000), .closed(4000), .closed(4001), .closed(nil)]
    case .closing:
      events += [
        .heard(.connected(nil)), .heard(.refreshRequired(timeout: nil)), .heard(.error(number: 1, name: "1")),
        .closed(1000), .closed(nil),
      ]
    }
    return events
  }

  /// The provider's or the gateway's answers to the request that is pending.
  private func answers(_ session: ClientSession) -> [ClientEvent] {
    let number = session.fetchNumber
    guard session.isWaiting(forFetch: number) else { return [] }
    let answers: [ProviderAnswer] = [
      .token(Credentials(token: "token \(number)")), .busy(status: 503, retryAfter: nil),
      .busy(status: 429, retryAfter: .seconds(7)), .refused(status: 403), .denied(number: 1), .failed("timed_out"),
    ]
    return answers.map { .fetched(number: number, $0) }
  }

  /// The gateway's messages that the client's habits give a meaning.
  private var notices: [ClientEvent] {
    let habits = policy.policy.habits
    var welcome = Welcome()
    var notices: [ServerNotice] = [
      .refreshRequired(timeout: .seconds(60), with: .newToken), .refreshed, .error(number: 1, name: "1"),
      .error(number: 9, name: "9"), .busy(retryAfter: .seconds(5)), .sessionClosed(name: "closed"),
    ]
    if habits.sessionKey != nil {
      welcome.key = Credentials(token: "key")
      notices += [
        .keyRenewed(Credentials(token: "new key")), .error(number: 5, name: "5"),
        .refreshRequired(timeout: nil, with: .anyToken),
      ]
    }
    if habits.comeback?.ends != nil { notices += ReturnVerdict.allCases.map { .goodbye($0, name: "goodbye") } }
    if habits.asksAtNeed { notices += [.tokenCue(1), .cue(2)] }
    if habits.refresh.lead != nil { notices.append(.tokenLife(.seconds(50))) }
    if habits.keepAlive != nil { notices.append(.alive) }
    notices.append(.connected(nil, welcome))
    return notices.map { .heard($0) }
  }
}
