internal import GatewayCore
internal import GatewayRuntime

extension ClientStory {
  /// An action that a client attempts, and may attempt too often.
  package enum Attempt: String, Hashable, Sendable, CaseIterable {
    case connection, provider, refresh, command
    /// A connection without a new token from the provider.
    case staleConnection = "stale_connection"

    /// Whether it is an attempt to connect.
    var isToConnect: Bool { self == .connection || self == .staleConnection }

    /// Returns whether the line records such an attempt.
    func isMade(by line: JournalLine) -> Bool {
      switch (self, line.event) {
      case (.connection, .connectionOpened), (.connection, .upgradeRefused), (.staleConnection, .connectionOpened),
        (.staleConnection, .upgradeRefused), (.provider, .providerAsked),
        (.command, .messageIn(.command, _, _)):
        true
      // Credentials of a login are not included: the journal does not know their user yet.
      case (.refresh, .messageIn(.credentials, _, _)): line.user != nil
      default: false
      }
    }

    /// The kinds of lines that record an attempt to connect.
    static let connections: Set<JournalKind> = [.connectionOpened, .upgradeRefused]

    /// Returns the default attempt after a line of that kind.
    static func after(_ kind: JournalKind) -> Attempt {
      switch kind {
      case .providerAsked, .providerMinted, .providerFailed, .providerRefused: .provider
      case .refreshRequested, .refreshRefused: .refresh
      default: .connection
      }
    }

    /// Returns whether the line records the success of the attempt.
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
