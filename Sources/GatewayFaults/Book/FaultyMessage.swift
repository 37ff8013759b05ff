internal import GatewayCore
internal import GatewayRuntime

/// The kinds of messages that a fault can affect, by their meaning, e.g. `reply:refresh`.
package enum FaultyMessage: String, Hashable, Sendable, CaseIterable {
  // Messages of the gateway.
  case requestRefresh = "request:refresh"
  case replyLogin = "reply:login"
  case replyRefresh = "reply:refresh"
  case replyLogout = "reply:logout"
  case replyPing = "reply:ping"
  case refusalLogin = "refusal:login"
  case error
  case noticeClosing = "notice:closing"
  /// A vendor's reply to a command, or its message about other users.
  case vendor
  case anyOut = "any:out"
  // Messages of the client.
  case login, refresh, command, logout, ping
  case anyIn = "any:in"

  /// Whether it is a kind of messages from the gateway.
  package var goesOut: Bool {
    switch self {
    case .login, .refresh, .command, .logout, .ping, .anyIn: false
    default: true
    }
  }

  /// Returns whether it includes an incoming message of that meaning, from a client that is logged in or not.
  func takesIn(in meaning: JournalMessage, isLoggedIn: Bool) -> Bool {
    switch self {
    case .anyIn: true
    case .login: meaning == .credentials && !isLoggedIn
    case .refresh: meaning == .credentials && isLoggedIn
    case .command: meaning == .command
    case .logout: meaning == .logout
    case .ping: meaning == .ping
    default: false
    }
  }

  /// Returns whether it includes an outgoing message of that meaning.
  func takesIn(out meaning: JournalMessage) -> Bool {
    switch self {
    case .anyOut: true
    case .requestRefresh: meaning == .refreshRequired
    case .replyLogin: meaning == .connected
    case .replyRefresh: meaning == .refreshed
    case .replyLogout: meaning == .loggedOut
    case .replyPing: meaning == .pong
    case .refusalLogin: meaning == .loginRefused
    case .error: meaning == .error
    case .noticeClosing: meaning == .closing
    case .vendor: meaning == .vendor
    default: false
    }
  }
}

extension FaultyMessage {
  /// Reads the member `what` of an order.
  init(_ fields: FaultFields) throws(GatewayError) {
    guard let message = try fields.word("what", FaultyMessage.self) else { throw fields.missing("what") }
    self = message
  }
}
