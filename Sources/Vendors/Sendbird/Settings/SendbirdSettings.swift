package import GatewayCore

/// The settings of a Sendbird application: how long its sessions last, for instance. Where the vendor's own choice is
/// not known, the comment says that it is ours.
package struct SendbirdSettings: Sendable {
  /// The setting "Access token permission": what a user may do to whom no token was ever issued, read only for
  /// instance.
  package enum UsersWithoutToken: String, Hashable, Sendable, CaseIterable {
    /// Nobody gets in by name alone, and nobody is made on connect.
    case refuse
    /// They connect and read; what would change something is refused with 900030.
    case readOnly = "read-only"
    /// They may do everything; an unknown one is made on connect.
    case full
  }

  /// The application that clients must name; nil for any.
  package var applicationID: Name?
  /// The secret of the Platform API, which signs session tokens too.
  package var apiToken: Credentials { secret.credentials }
  let secret: SendbirdSecret
  /// Whether nobody but this process knows the Api-Token: it stays the same as long as that lives.
  package var hasRandomSecret = false
  package var usersWithoutToken = UsersWithoutToken.full

  /// How long a session key lives whose client can refresh it (`expiring_session=1`).
  package var sessionLife = Duration.seconds(600)
  /// How long one lives whose client did not say so; nil for ever. Ours.
  package var plainSessionLife: Duration?
  /// How long the key before the present one stays good; nil for as long as the session lives, which the second
  /// generation of the JavaScript SDK needs: it never takes a new key from its socket. Ours.
  package var keyGrace: Duration?
  /// How long before a session's end its client is told, a tenth of the session's life at most. Clients on iOS renew on
  /// the open socket only if 5 s or more are left. Ours.
  package var expiryLead = Duration.seconds(30)
  /// Whether a session key is good for HTTP only while its user has a connection, and 800101 is said otherwise. The
  /// vendor's clients do call without one.
  package var needsConnectionOverHTTP = false

  /// What the answer to a login tells the client about keep-alive; whole seconds.
  package var pingInterval = Duration.seconds(15)
  package var pongTimeout = Duration.seconds(5)
  /// What it says about coming back: first and longest pause in whole seconds, factor, and tries, -1 for endless.
  package var reconnectInterval = Duration.seconds(2)
  package var reconnectIntervalMax = Duration.seconds(20)
  package var reconnectFactor = 2
  package var reconnectTries = -1

  /// How many logins a second are answered before clients get `BUSY`; nil for any number. Ours.
  package var loginsPerSecond: Double?
  /// After how many seconds `BUSY` tells them to come back.
  package var busyRetryAfter = Duration.seconds(3)
  /// How many users one address may have made in a minute by logging in by a name alone; nil for any number. Ours.
  package var newUsersPerMinuteMax: Int? = 6_000
  /// How many bytes of messages are kept, of all channels together; the oldest give way. Ours.
  package var messageBytesMax = 64 << 20
  /// How many bytes of files are kept; the oldest give way. Ours.
  package var fileBytesMax = 64 << 20
  /// How many bytes a request may have that brings a file. Ours.
  package var uploadBytesMax = 16 << 20
  /// How many connections a user may have.
  package var connectionsPerUserMax = 30
  /// Whether the documented limits of what a user may ask for in a second are kept.
  package var limitsRates = false
  /// How many sessions are remembered. The oldest is forgotten first; its key tells of it again. Ours.
  package var sessionsMax = 200_000

  package init(apiToken: Credentials) {
    secret = SendbirdSecret(apiToken)
  }

  /// How long a silent client is kept: two rounds of keep-alive. Ours; the vendor's limit is not known.
  package var silenceMax: Duration { (pingInterval + pongTimeout) * 2 }

  /// Whether a client that names this application (nil if it names none) has come to the right place.
  func isForUs(_ named: String?) -> Bool {
    applicationID == nil || applicationID == named.map { Name($0) }
  }
}
