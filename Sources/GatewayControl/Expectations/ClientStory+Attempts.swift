internal import GatewayCore
internal import GatewayRuntime

extension ClientStory {
  /// Something that a client tries, and may try too often: to connect, for instance.
  package enum Attempt: String, Hashable, Sendable, CaseIterable {
    case connection, provider, refresh, command
    /// To connect again without a new token of the provider's.
    case staleConnection = "stale_connection"

    /// Whether it is one to connect.
    var isToConnect: Bool { self == .connection || self == .staleConnection }

    /// Whether the line tells of one.
    func isMade(by line: JournalLine) -> Bool {
      switch (self, line.event) {
      case (.connection, .connectionOpened), (.connection, .upgradeRefused), (.staleConnection, .connectionOpened),
        (.staleConnection, .upgradeRefused), (.provider, .providerAsked),
        (.command, .messageIn(.command, _, _)):
        true
      // Of credentials that are to let somebody in, the journal does not know yet whose they are.
      case (.refresh, .messageIn(.credentials, _, _)): line.user != nil
      default: false
      }
    }

    /// The kinds of line that tell of one to connect.
    static let connections: Set<JournalKind> = [.connectionOpened, .upgradeRefused]

    /// What follows the kind, where nobody says what is meant.
    static func after(_ kind: JournalKind) -> Attempt {
      switch kind {
      case .providerAsked, .providerMinted, .providerFailed, .providerRefused: .provider
      case .refreshRequested, .refreshRefused: .refresh
      default: .connection
      }
    }

    /// Whether the line tells that it has succeeded.
    func hasSucceeded(by line: JournalLine) -> Bool {
      switch (self, line.event.kind) {
      case (.connection, .loggedIn), (.staleConnection, .loggedIn), (.provider, .providerMinted),
        (.refresh, .refreshed):
        true
      default: false
      }
    }

    func text(_ count: Int) -> String {
      switch self {
      case .connection: count == 1 ? "1 attempt to connect" : "\(count) attempts to connect"
      case .staleConnection:
        count == 1 ? "1 attempt to connect without a new token" : "\(count) attempts to connect without a new token"
      case .provider: count == 1 ? "1 provider call" : "\(count) provider calls"
      case .refresh: count == 1 ? "1 refresh" : "\(count) refreshes"
      case .command: count == 1 ? "1 request of its own" : "\(count) requests of its own"
      }
    }
  }
}
