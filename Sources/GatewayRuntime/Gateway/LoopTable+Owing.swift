package import GatewayCore

// The clients that owe an answer, e.g. one that was asked for another token.

extension LoopTable {
  /// The number of sessions that wait for their clients, or for the verification of a client's token. Only on the loop.
  package var owing: Int {
    let kinds = Session.PhaseKind.allCases
    return phases.enumerated().reduce(0) { sum, phase in
      kinds[phase.offset % kinds.count].waitsForAnswer ? sum + phase.element : sum
    }
  }

  /// Those sessions, in order of arrival. Only on the loop.
  package var owingSessions: [SessionSummary] {
    inOrder.filter(\.waitsForAnswer).map(\.summary)
  }
}

/// A session whose client owes an answer.
package struct OwingSession: Sendable {
  package let id: ConnectionID
  /// Nil before login.
  package let user: UserID?
  /// When the gateway closes the connection if the answer has not come.
  package let cutOffAt: Instant
}

extension LoopTable {
  /// The sessions that wait for their clients, each with its timeout. Only on the loop.
  package var owingTimeouts: [OwingSession] { inOrder.compactMap(\.owed) }
}

extension Connection {
  /// The answer that the client owes; nil if none.
  fileprivate nonisolated var owed: OwingSession? {
    onLoop { connection in
      let standing = connection.standing
      guard standing.phase.waitsForAnswer else { return nil }
      return OwingSession(id: connection.id, user: standing.grant?.user, cutOffAt: standing.deadline)
    }
  }

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
