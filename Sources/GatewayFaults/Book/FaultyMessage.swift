internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// The messages that a fault affects: messages of one meaning, optionally only with a certain content.
package struct FaultyMessage: Hashable, Sendable {
  package let meaning: Meaning
  /// Another kind that it includes; nil for none.
  private let other: Meaning?
  /// The content; nil for any.
  let match: MessageMatch?

  /// The replies that tell the life of a token.
  static let toldLives = FaultyMessage(.replyLogin, .replyRefresh)

  private init(_ meaning: Meaning, _ other: Meaning) {
    (self.meaning, self.other, match) = (meaning, other, nil)
  }

  package static let members = ["what", "match"]

  /// Reads the members `what` and `match` of an order.
  init(_ fields: FaultFields) throws(GatewayError) {
    guard let meaning = try fields.word("what", Meaning.self) else { throw fields.missing("what") }
    self.meaning = meaning
    other = nil
    match = try fields.child("match").map { (match) throws(GatewayError) in try MessageMatch(match) }
  }

  /// The kinds of messages, by their meaning, e.g. `reply:refresh`.
  package enum Meaning: String, Hashable, Sendable, CaseIterable {
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
  }

  /// Whether it is a kind of messages from the gateway.
  package var goesOut: Bool {
    switch meaning {
    case .login, .refresh, .command, .logout, .ping, .anyIn: false
    default: true
    }
  }

  /// Returns whether it includes an incoming message of that meaning, from a client that is logged in or not.
  func takesIn(in message: JournalMessage, isLoggedIn: Bool, _ frame: Frame) -> Bool {
    let isMeant =
      switch meaning {
      case .anyIn: true
      case .login: message == .credentials && !isLoggedIn
      case .refresh: message == .credentials && isLoggedIn
      case .command: message == .command
      case .logout: message == .logout
      case .ping: message == .ping
      default: false
      }
    return isMeant && match?.matches(frame) ?? true
  }

  /// Returns whether it includes an outgoing message of that meaning.
  func takesIn(out message: JournalMessage, _ frame: Frame) -> Bool {
    let isMeant = Self.takesIn(out: message, meaning) || other.map { Self.takesIn(out: message, $0) } == true
    return isMeant && match?.matches(frame) ?? true
  }

  private static func takesIn(out message: JournalMessage, _ meaning: Meaning) -> Bool {
    switch meaning {
    case .anyOut: true
    case .requestRefresh: message == .refreshRequired
    case .replyLogin: message == .connected
    case .replyRefresh: message == .refreshed
    case .replyLogout: message == .loggedOut
    case .replyPing: message == .pong
    case .refusalLogin: message == .loginRefused
    case .error: message == .error
    case .noticeClosing: message == .closing
    // A proxy that does not read a message knows its kind.
    case .vendor: message == .vendor || message == .text || message == .binary
    default: false
    }
  }
}
