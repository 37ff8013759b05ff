internal import GatewayCore

/// The settings of a gateway that simulates Stream.
package struct StreamVideoSettings: Sendable {
  var applications: StreamApplications
  /// The tolerance for `exp`, `nbf` and `iat` of tokens.
  var leeway = Duration.zero
  var expiry = StreamExpiry()
  /// The life of a guest's token; nil for no end.
  var guestLife: Duration?
  /// The limits for guests.
  var guests = StreamGuestLimits()
  /// The maximum number of bytes of all users: their data, and a fixed amount for each.
  var usersBytesMax = 256 << 20
  /// The limits for calls, their members and their rings.
  var callLimits = StreamCallLimits()
  /// The application's settings at the start.
  var app = StreamAppSettings()
  var calls = StreamCallPolicy()
  /// Whether anonymous users may use Chat's socket, as at Stream. The gateway otherwise admits none.
  var admitsAnonymousToChat = false
  /// The request limits; nil for none.
  var limits: StreamLimits?

  init(applications: StreamApplications) {
    self.applications = applications
  }
}

/// The messages to a client whose token expires, or is revoked, while it is connected. Stream has no refresh on an open
/// socket: the gateway sends an error, after which the client reconnects with a new token.
struct StreamExpiry: Hashable, Sendable {
  /// Whether a `connection.error` comes before the close frame.
  var sendsError = true
  /// The delay between the error and the close.
  var delay = Duration.zero
  /// The close frame's code. Every SDK reconnects after any code but 1000, which JavaScript considers a final
  /// rejection: two of three of its clients never return. With 1000 the frame's text is empty, since Swift reconnects
  /// only then.
  var closeCode: UInt16 = 4001
}
