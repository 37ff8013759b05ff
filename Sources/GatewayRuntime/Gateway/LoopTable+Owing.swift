internal import GatewayCore

// Who owes an answer: a client that was asked for another token, for instance.

extension LoopTable {
  /// How many sessions wait for their clients, or for the judgement of what those have said. Only on the loop.
  package var owing: Int {
    let kinds = Session.PhaseKind.allCases
    return phases.enumerated().reduce(0) { sum, phase in
      kinds[phase.offset % kinds.count].waitsForAnswer ? sum + phase.element : sum
    }
  }

  /// Those sessions, in the order in which they came. Only on the loop.
  package var owingSessions: [SessionSummary] {
    inOrder.filter(\.waitsForAnswer).map(\.summary)
  }
}

extension Connection {
  fileprivate nonisolated var waitsForAnswer: Bool { onLoop { $0.standing.phase.waitsForAnswer } }
}

extension Session.PhaseKind {
  fileprivate var waitsForAnswer: Bool {
    switch self {
    case .awaitingCredentials, .authenticating, .refreshing, .verifyingRefresh: true
    case .refused, .active, .draining, .closing, .closed: false
    }
  }
}
