internal import GatewayCore

/// The settings of a gateway that simulates Stream.
package struct StreamVideoSettings: Sendable {
  package var applications: StreamApplications
  /// The tolerance for `exp`, `nbf` and `iat` of tokens.
  package var leeway = Duration.zero
  package var expiry = StreamExpiry()
  /// The life of a guest's token; nil for no end.
  package var guestLife: Duration?
  /// The limits for guests.
  package var guests = StreamGuestLimits()
  /// The most bytes that all users take in total: their data, and a fixed amount for each.
  package var usersBytesMax = 256 << 20
  /// The limits for calls, their members and their rings.
  package var callLimits = StreamCallLimits()
  /// The application's settings at the start.
  package var app = StreamAppSettings()
  package var calls = StreamCallPolicy()
  /// Whether anonymous users may use Chat's socket, as at Stream. The gateway otherwise admits none.
  package var admitsAnonymousToChat = false
  /// The request limits; nil for none.
  package var limits: StreamLimits?

  package init(applications: StreamApplications) {
    self.applications = applications
  }
}

/// The messages to a client whose token expires, or is revoked, while it is connected. Stream has no refresh on an open
/// socket: the gateway sends an error, after which the client reconnects with a new token.
package struct StreamExpiry: Hashable, Sendable {
  /// Whether a `connection.error` comes before the close frame.
  package var sendsError = true
  /// The delay between the error and the close.
  package var delay = Duration.zero
  /// The close frame's code. Every SDK reconnects after any code but 1000, which JavaScript considers a final
  /// rejection: two of three of its clients never return. With 1000 the frame's text is empty, since Swift reconnects
  /// only then.
  package var closeCode: UInt16 = 4001

  package init() {}
}
