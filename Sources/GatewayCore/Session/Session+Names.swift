extension Session {
  /// The phases of a session without their values, numbered from 0, for counters.
  package enum PhaseKind: Int, Hashable, Sendable, CaseIterable {
    case awaitingCredentials
    case authenticating
    case refused
    case active
    case refreshing
    case verifyingRefresh
    case draining
    case closing
    case closed

    /// The name of the phase in the documentation.
    package var name: String {
      switch self {
      case .awaitingCredentials: "awaiting_credentials"
      case .authenticating: "authenticating"
      case .refused: "refused"
      case .active: "active"
      case .refreshing: "refreshing"
      case .verifyingRefresh: "verifying_refresh"
      case .draining: "draining"
      case .closing: "closing"
      case .closed: "closed"
      }
    }
  }

  package var phaseKind: PhaseKind {
    switch phase {
    case .awaitingCredentials: .awaitingCredentials
    case .authenticating: .authenticating
    case .refused: .refused
    case .active: .active
    case .refreshing: .refreshing
    case .verifyingRefresh: .verifyingRefresh
    case .draining: .draining
    case .closing: .closing
    case .closed: .closed
    }
  }
}
