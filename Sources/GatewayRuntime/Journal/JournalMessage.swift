package import GatewayCore

/// The meaning of a message, as far as the gateway knows, in one byte of the journal: credentials, for instance.
package enum JournalMessage: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  // What clients say.
  case credentials, command, logout, ping
  /// It was understood, and asks for nothing.
  case idle
  case malformed
  // What the gateway says.
  case connected
  case loginRefused = "login_refused"
  case refreshRequired = "refresh_required"
  case refreshed
  case loggedOut = "logged_out"
  case error, pong, closing
  /// What the dialect says ahead of something else.
  case prelude
  /// What a vendor answers or tells of others.
  case vendor
}

// Properties and methods, where an initializer would own what it is given: on the way of every message.

extension InboundMessage {
  /// What it means, as the journal has it.
  package var meaning: JournalMessage {
    switch self {
    case .credentials: .credentials
    case .command: .command
    case .logout: .logout
    case .ping: .ping
    }
  }
}

extension OutboundMessage {
  /// What it means, as the journal has it.
  package var meaning: JournalMessage {
    switch self {
    case .connected: .connected
    case .loginRefused: .loginRefused
    case .refreshRequired: .refreshRequired
    case .refreshed: .refreshed
    case .loggedOut: .loggedOut
    case .error: .error
    case .pong: .pong
    case .closing: .closing
    }
  }

  /// The error that it tells.
  var error: GatewayError? {
    switch self {
    case .loginRefused(let error, _), .error(let error, _): error
    case .connected, .refreshRequired, .refreshed, .loggedOut, .pong, .closing: nil
    }
  }
}
