package import GatewayCore

/// The meaning of a message, as far as the gateway knows it, in one byte of the journal.
package enum JournalMessage: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  // Messages of clients.
  case credentials, command, logout, ping
  /// It was understood, and asks for nothing.
  case idle
  case malformed
  // Messages of the gateway.
  case connected
  case loginRefused = "login_refused"
  case refreshRequired = "refresh_required"
  case refreshed
  case loggedOut = "logged_out"
  case error, pong, closing
  /// A message that the dialect sends ahead of another.
  case prelude
  /// An answer or event of a vendor's own.
  case vendor
  /// An operator's message was sent.
  case said
  // Messages of either side that a proxy passes on without reading them, by their kind.
  case text, binary
}

extension Frame.Kind {
  /// The message as a proxy knows it that does not read it.
  package var meaning: JournalMessage { self == .text ? .text : .binary }
}

// Properties and methods, where an initializer would own what it is given: on the way of every message.

extension InboundMessage {
  /// The meaning, as the journal has it.
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
  /// The meaning, as the journal has it.
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
