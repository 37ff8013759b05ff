import GatewayCore
import GatewayRuntime

@testable import GatewayFleet

/// An observer of a client by its events and effects, which reports the rules that a step breaks.
///
/// It keeps its own records, so that an error in the machine's state cannot hide itself.
struct ClientWitness: Hashable {
  /// The client's socket, as the transport knows it.
  enum Transport: Hashable {
    case none
    case dialling
    case open
    /// The client has closed, and the transport has not reported the end.
    case closing
  }

  private(set) var transport = Transport.none
  /// The token or key that the gateway has neither accepted nor refused.
  private var shown: Credentials?
  private var refused: Set<Credentials> = []
  private var logins = 0
  private var ends = 0

  /// Returns the rules that a step breaks: `event` led to `after` with these effects.
  mutating func watch(
    _ event: ClientEvent, _ effects: [ClientEffect], after: ClientSession
  ) -> [String] {
    var broken: [String] = []
    let wasOpen = transport == .open
    noteTransport(event)
    noteRefusal(event, after)
    for effect in effects { broken += note(effect, after) }
    if after.wirePhase == .live { shown = nil }
    if after.hasSocket != (transport != .none) { broken.append("the client is wrong about its socket") }
    if transport == .open && after.wirePhase == nil { broken.append("an open socket is neither used nor closed") }
    if effects.count(where: \.isFetch) > 1 { broken.append("two requests for a token in one step") }
    if effects.contains(where: \.isFetch) && !after.isWaiting(forFetch: after.fetchNumber) {
      broken.append("a request whose answer is not awaited")
    }
    let isLive =
      switch after.phase {
      case .live, .refreshing, .leaving(wasLive: true): true
      default: false
      }
    if logins - ends != (isLive ? 1 : 0) { broken.append("\(logins) logins, \(ends) ends, live: \(isLive)") }
    if case .heard(.refreshRequired) = event, wasOpen, isLive, !effects.contains(where: \.isAsked) {
      broken.append("a refresh request is dropped")
    }
    if isStuck(after) { broken.append("no way out of \(after.phase)") }
    return broken
  }

  /// Returns whether nothing can ever happen to the client again although it has not ended.
  private func isStuck(_ client: ClientSession) -> Bool {
    client.phase != .ended && client.nextDeadline == nil && transport == .none
      && !client.isWaiting(forFetch: client.fetchNumber)
  }

  private mutating func noteTransport(_ event: ClientEvent) {
    switch event {
    case .opened: transport = .open
    case .dialFailed, .closed: transport = .none
    case .start, .fetched, .heard, .wakeUp, .stop: return
    }
  }

  private mutating func noteRefusal(_ event: ClientEvent, _ client: ClientSession) {
    let comeback = client.habits.comeback
    var isRefusal = false
    switch event {
    case .heard(.error(let number, _)):
      isRefusal =
        comeback?.renewingErrors.contains(number) == true || client.habits.sessionKey?.expiredError == number
    case .heard(.goodbye(.renew, _)): isRefusal = true
    case .closed(let code?, _):
      isRefusal = comeback?.verdict(of: Int(code), isHTTP: false, in: .loggingIn)?.verdict == .renew
    case .dialFailed(.refused(let status)):
      isRefusal = comeback?.verdict(of: status, isHTTP: true, in: .opening)?.verdict == .renew
    default: break
    }
    if isRefusal, let shown { refused.insert(shown) }
    switch event {
    case .heard(.connected), .heard(.refreshed), .heard(.keyRenewed), .closed, .dialFailed: shown = nil
    default: if isRefusal { shown = nil }
    }
  }

  private mutating func note(_ effect: ClientEffect, _ after: ClientSession) -> [String] {
    switch effect {
    case .dial:
      defer { transport = .dialling }
      return transport == .none ? [] : ["two sockets at once"]
    case .close:
      // A socket that is not open yet is dropped when it opens.
      if transport == .open { transport = .closing }
      return []
    case .ping: return transport == .open ? [] : ["a ping without an open socket"]
    case .send(let message):
      guard transport == .open else { return ["\(message) without an open socket"] }
      let presented: Credentials? =
        switch message {
        case .connect(let token), .refresh(let token): token
        case .cued: after.token
        case .ping, .garbage: nil
        }
      // A client that asks for its token at need opens with an empty one.
      guard let presented, !presented.token.isEmpty else { return [] }
      shown = presented
      // A stale client's application has no other token.
      return refused.contains(presented) && after.behaviour != .stale ? ["a refused token is shown again"] : []
    case .record(.connected): logins += 1
    case .record(.interrupted), .record(.lost), .record(.left): ends += 1
    case .record, .fetch: return []
    }
    return []
  }
}

extension ClientEffect {
  fileprivate var isFetch: Bool { if case .fetch = self { true } else { false } }
  fileprivate var isAsked: Bool { self == .record(.asked) || self == .record(.askedAgain) }
}
