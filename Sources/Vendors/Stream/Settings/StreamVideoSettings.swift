internal import GatewayCore

/// The settings of a gateway that plays Stream: its API keys, for instance.
package struct StreamVideoSettings: Sendable {
  package var applications: StreamApplications
  /// How far `exp`, `nbf` and `iat` of tokens may be off.
  package var leeway = Duration.zero
  package var expiry = StreamExpiry()
  /// How long a guest's token lives; nil for ever.
  package var guestLife: Duration?
  /// How many guests there may be.
  package var guests = StreamGuestLimits()
  /// The most bytes that all users take together: what they say of themselves, and what is kept for each.
  package var usersBytesMax = 256 << 20
  /// The most there may be of calls, of their members and of their rings.
  package var callLimits = StreamCallLimits()
  /// What the application's settings are at first.
  package var app = StreamAppSettings()
  package var calls = StreamCallPolicy()
  /// Whether anonymous users get a socket on Chat's path, as they do at Stream: against the gateway's own rule.
  package var admitsAnonymousToChat = false
  /// How many requests are answered; nil for all.
  package var limits: StreamLimits?

  package init(applications: StreamApplications) {
    self.applications = applications
  }
}

/// The words for a client whose token expires, or is revoked, while it is connected: an error with code 40, for
/// instance. Stream has no refresh on an open socket: the request for another token is an error, after which the client
/// comes back with one.
package struct StreamExpiry: Hashable, Sendable {
  /// Whether a `connection.error` comes before the close frame.
  package var sendsError = true
  /// How long after it the socket is closed.
  package var delay = Duration.zero
  /// The close frame's code. Every SDK comes back from any code but 1000, which JavaScript takes for a rejection for good:
  /// two of three of its clients never return. With 1000 the frame's text is empty, since Swift comes back only then.
  package var closeCode: UInt16 = 4001

  package init() {}
}
