internal import GatewayCore

// Signs of life, in each SDK's own manner.

extension ClientSession {
  /// Notes that something came, before it is acted on.
  mutating func noteLife(_ notice: ServerNotice, at now: Instant) {
    switch notice {
    case .alive, .connected: pulse?.heard(isAnswer: true, at: now)
    default: pulse?.heard(isAnswer: false, at: now)
    }
  }

  /// Something came that the client does not understand.
  mutating func heardSomething(at now: Instant) {
    pulse?.heard(isAnswer: false, at: now)
  }

  /// Why a client has gone that heard no sign of life.
  static let silence = "silence"

  /// Pings if it is time to.
  mutating func beat(at now: Instant, into effects: inout [ClientEffect]) {
    guard pulse?.deadline.map({ $0 <= now }) ?? false else { return }
    if case .ping(let means) = pulse?.beat(at: now) { effects.append(means == .message ? .send(.ping) : .ping) }
  }

  /// Pings, or gives the connection up, as its time has come.
  mutating func beat(at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]) {
    switch pulse?.beat(at: now) {
    case .ping(.message): effects.append(.send(.ping))
    case .ping(.protocolPing): effects.append(.ping)
    case .despair(.comesBack):
      effects.append(.close)
      hasDespaired = habits.comeback == nil
      cutOff(nil, Self.silence, at: now, chance: &chance, into: &effects)
    case .despair(.stopsPinging), .despair(.nothing), .some(.none), nil: return
    }
  }
}
