/// The kind of a line of the journal, e.g. `refresh_requested`.
package enum JournalKind: String, Hashable, Sendable, CaseIterable {
  /// The upgrade was admitted, and the socket is open.
  case connectionOpened = "connection_opened"
  case upgradeRefused = "upgrade_refused"
  /// Credentials of a login are verified.
  case loginAsked = "login_asked"
  case loggedIn = "logged_in"
  case loginRefused = "login_refused"
  /// The user left; the connection stays.
  case loggedOut = "logged_out"
  /// The gateway asks for another token.
  case refreshRequested = "refresh_requested"
  case refreshed
  case refreshRefused = "refresh_refused"
  case malformed
  /// The token's life had ended when the gateway asked for another.
  case tokenExpired = "token_expired"
  /// A revocation covers the session's token.
  case revoked
  /// An operator, or the server on its own account, wants something of the connection.
  case ordered
  /// The gateway begins to close the connection.
  case cutOff = "cut_off"
  case closed
  case messageIn = "message_in"
  case messageOut = "message_out"
  case httpAnswered = "http_answered"
  case providerAsked = "provider_asked"
  case providerMinted = "provider_minted"
  case providerFailed = "provider_failed"
  case providerRefused = "provider_refused"
  /// A proxy got no answer from the gateway behind it.
  case upstreamFailed = "upstream_failed"
  /// A gateway behind a proxy sends a client to another address.
  case handedOver = "handed_over"
  /// A logout, a security event or a revocation came from outside.
  case signalTaken = "signal_taken"
  case signalRefused = "signal_refused"
  /// One of the application's own servers is asked about a user.
  case outboundAsked = "outbound_asked"
  /// It has answered, or gave no usable answer.
  case outboundAnswered = "outbound_answered"
  /// A session goes on although the application's backend cannot be asked about it.
  case graceGiven = "grace_given"
  /// A webhook was sent to the application's backend, or could not be.
  case webhookSent = "webhook_sent"
  /// Something went wrong on purpose.
  case faulted
}
