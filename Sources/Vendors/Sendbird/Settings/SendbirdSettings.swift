internal import GatewayCore

/// The settings of a Sendbird application. "Ours" marks a choice that the vendor does not publish.
package struct SendbirdSettings: Sendable {
  /// The setting "Access token permission".
  enum UsersWithoutToken: String, Hashable, Sendable, CaseIterable {
    /// Login by name alone is refused, and a connection creates no users.
    case refuse
    /// They connect and read; changes are refused with 900030.
    case readOnly = "read-only"
    /// They may do everything; a connection creates an unknown user.
    case full
  }

  /// The application that clients must name; nil for any.
  var applicationID: Name?
  /// The secret of the Platform API, which also signs session tokens.
  var apiToken: Credentials { secret.credentials }
  let secret: SendbirdSecret
  /// Whether the Api-Token is random and known to this process only; a reload then keeps it.
  var hasRandomSecret = false
  var usersWithoutToken = UsersWithoutToken.full

  /// The life of a session key whose client can refresh it (`expiring_session=1`).
  var sessionLife = Duration.seconds(600)
  /// The life of other session keys; nil for no end. Ours.
  var plainSessionLife: Duration?
  /// How long the previous key stays valid; nil for the life of the session, which the second generation of the
  /// JavaScript SDK needs: it never accepts a new key on its socket. Ours.
  var keyGrace: Duration?
  /// The lead time of the notice before a session's end, at most a tenth of the session's life. Clients on iOS refresh
  /// on the open socket only if 5 s or more are left. Ours.
  var expiryLead = Duration.seconds(30)
  /// Whether a session key is valid over HTTP only while its user has a connection; otherwise 800101 is returned. The
  /// vendor's clients do make requests without one.
  var needsConnectionOverHTTP = false

  /// The keep-alive interval in the answer to a login; whole seconds.
  var pingInterval = Duration.seconds(15)
  var pongTimeout = Duration.seconds(5)
  /// The reconnect parameters in the answer to a login: first and longest pause in whole seconds, factor, and number of
  /// tries, -1 for endless.
  var reconnectInterval = Duration.seconds(2)
  var reconnectIntervalMax = Duration.seconds(20)
  var reconnectFactor = 2
  var reconnectTries = -1

  /// The number of logins per second above which clients get `BUSY`; nil for no limit. Ours.
  var loginsPerSecond: Double?
  /// The retry delay in `BUSY`.
  var busyRetryAfter = Duration.seconds(3)
  /// How many users one address may create in a minute by logging in by name alone; nil for no limit. Ours.
  var newUsersPerMinuteMax: Int? = 6_000
  /// The bytes of messages stored for all channels; the oldest are displaced. Ours.
  var messageBytesMax = 64 << 20
  /// The bytes of files stored; the oldest are displaced. Ours.
  var fileBytesMax = 64 << 20
  /// The maximum size in bytes of a request with a file. Ours.
  var uploadBytesMax = 16 << 20
  /// The maximum number of connections of a user.
  var connectionsPerUserMax = 30
  /// Whether the documented rate limits of users are enforced.
  var limitsRates = false
  /// The number of stored sessions. The oldest is forgotten first; its key restores it. Ours.
  var sessionsMax = 200_000

  init(apiToken: Credentials) {
    secret = SendbirdSecret(apiToken)
  }

  /// How long a client may be silent: two rounds of keep-alive. Ours; the vendor's limit is not known.
  var silenceMax: Duration { (pingInterval + pongTimeout) * 2 }

  /// Returns whether a client that names this application (nil for none) belongs here.
  func isForUs(_ named: String?) -> Bool {
    applicationID == nil || applicationID == named.map { Name($0) }
  }
}
