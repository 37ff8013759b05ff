extension Session {
  /// The phase in the words of the documentation, for an operator.
  package var phaseName: String {
    switch phase {
    case .awaitingCredentials: "awaiting_credentials"
    case .authenticating: "authenticating"
    case .active: "active"
    case .refreshing: "refreshing"
    case .verifyingRefresh: "verifying_refresh"
    case .draining: "draining"
    case .closing: "closing"
    case .closed: "closed"
    }
  }

  /// Whether the close frame has been sent, or the life is over.
  package var isClosing: Bool {
    switch phase {
    case .closing, .closed: true
    case .awaitingCredentials, .authenticating, .active, .refreshing, .verifyingRefresh, .draining: false
    }
  }
}
