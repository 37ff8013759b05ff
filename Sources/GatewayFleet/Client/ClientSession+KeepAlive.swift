internal import GatewayCore

// Signs of life, as each SDK handles them.

extension ClientSession {
  /// Notes that a message arrived, before the client acts on it.
  mutating func noteLife(_ notice: ServerNotice, at now: Instant) {
    switch notice {
    case .alive, .connected: pulse?.heard(isAnswer: true, at: now)
    default: pulse?.heard(isAnswer: false, at: now)
    }
  }

  /// Notes a message that the client does not understand.
  mutating func heardSomething(at now: Instant) {
    pulse?.heard(isAnswer: false, at: now)
  }

  /// The reason that the report gives for a client that closed for lack of signs of life.
  static let silence = "silence"

  /// Sends a ping if one is due.
  mutating func beat(at now: Instant, into effects: inout [ClientEffect]) {
    guard pulse?.deadline.map({ $0 <= now }) ?? false else { return }
    if case .ping(let means) = pulse?.beat(at: now) { effects.append(means == .message ? .send(.ping) : .ping) }
  }

  /// Sends a ping or gives the connection up, whichever is due.
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
