/// A message of the gateway as far as a client of a fleet needs to understand it: that a new token is asked for within
/// 60 s, for instance.
package enum ServerNotice: Hashable, Sendable {
  case connected(ConnectionID?, Welcome = Welcome())
  /// A new token is asked for. `timeout` is nil where the gateway does not say how long it waits.
  case refreshRequired(timeout: Duration?, with: RefreshMeans = .newToken)
  case refreshed
  /// Refreshed, and this is the key to come back with from now on.
  case keyRenewed(Credentials)
  case error(number: Int, name: String)
  /// Too busy to log anybody in: come back after a while.
  case busy(retryAfter: Duration)
  /// The session is over, and no token will bring it back.
  case sessionClosed(name: String)
  /// A sign of life, such as the answer to a ``ClientMessage/ping``.
  case alive
  case closing(name: String)
  /// An error that is only worth a line in the report.
  case remark(name: String)
  /// The session is over, whether or not the gateway closes the connection: what the client does is said with it.
  case goodbye(ReturnVerdict, name: String)
  /// The next thing to be said, by its number in the dialect: the second step of a login, the answer to a ping.
  case cue(Int)
  /// The same, with a token that is to be asked for first.
  case tokenCue(Int)
  /// How long the token lives from now on that is accepted next.
  case tokenLife(Duration)

  /// The token that a refresh may be answered with: the one in hand, where only the session has reached its end, for
  /// instance.
  package enum RefreshMeans: Hashable, Sendable {
    /// The token in hand, if it is still good.
    case anyToken
    /// A token that has not been presented before.
    case newToken
  }
}

/// A login's answer, as far as the dialect has words for it: ping every 15 s, wait 5 s for the answer, for instance.
package struct Welcome: Hashable, Sendable {
  /// What the gateway calls the connection.
  package var connection: String?
  /// The key to come back with.
  package var key: Credentials?
  /// The message itself, for clients that send it back as a sign of life.
  package var greeting: String?
  /// How often the client is to ping, and how long it is to wait for the answer.
  package var pingInterval: Duration?
  package var pongTimeout: Duration?
  /// The waits before its attempts to come back.
  package var schedule: ReturnSchedule?

  package init() {}
}
