internal import GatewayCore
internal import GatewayRuntime

/// The messages that a fault takes in, by what they mean: `reply:refresh`, for instance.
package enum FaultyMessage: String, Hashable, Sendable, CaseIterable {
  // What the gateway says.
  case requestRefresh = "request:refresh"
  case replyLogin = "reply:login"
  case replyRefresh = "reply:refresh"
  case replyLogout = "reply:logout"
  case replyPing = "reply:ping"
  case refusalLogin = "refusal:login"
  case error
  case noticeClosing = "notice:closing"
  /// What a vendor answers to commands, or tells of others.
  case vendor
  case anyOut = "any:out"
  // What the client says.
  case login, refresh, command, logout, ping
  case anyIn = "any:in"

  /// Whether it takes in what the gateway says.
  package var goesOut: Bool {
    switch self {
    case .login, .refresh, .command, .logout, .ping, .anyIn: false
    default: true
    }
  }

  /// Whether it takes in a message of that meaning; one that came in, from somebody who is logged in or not.
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

  /// Whether it takes in one that goes out.
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
  /// The one that the member `what` of an order names.
  init(_ fields: FaultFields) throws(GatewayError) {
    guard let message = try fields.word("what", FaultyMessage.self) else { throw fields.missing("what") }
    self = message
  }
}
