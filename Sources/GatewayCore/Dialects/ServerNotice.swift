/// A message of the gateway, in the detail that a fleet's client needs.
package enum ServerNotice: Hashable, Sendable {
  case connected(ConnectionID?, Welcome = Welcome())
  /// A new token is requested. `timeout` is nil if the gateway does not state it.
  case refreshRequired(timeout: Duration?, with: RefreshMeans = .newToken)
  case refreshed
  /// The token was accepted, and this is the key for later reconnects.
  case keyRenewed(Credentials)
  case error(number: Int, name: String)
  /// The gateway is too busy for logins; the client may retry after the delay.
  case busy(retryAfter: Duration)
  /// The session is over, and no token can restore it.
  case sessionClosed(name: String)
  /// A sign of life, such as the answer to a ``ClientMessage/ping``.
  case alive
  case closing(name: String)
  /// An error that only adds a line to the report.
  case remark(name: String)
  /// The session is over, whether or not the gateway closes the connection; the verdict is the client's next action.
  case goodbye(ReturnVerdict, name: String)
  /// A request for the client's next message, by its number in the dialect, e.g. the second step of a login or the
  /// answer to a ping.
  case cue(Int)
  /// The same, with a token that must be requested first.
  case tokenCue(Int)
  /// The gateway has renewed the connection by itself, and this is the token that it lives by from now on.
  case pushed(Credentials)
  /// The life, from now, of the token that is accepted next.
  case tokenLife(Duration)

  /// The tokens that answer a refresh request.
  package enum RefreshMeans: Hashable, Sendable {
    /// The present token, if it is still valid.
    case anyToken
    /// A token that has not been presented before.
    case newToken
  }
}

/// The answer to a login, in the detail that the dialect can express.
package struct Welcome: Hashable, Sendable {
  /// The gateway's name for the connection.
  package var connection: String?
  /// The session key for a reconnect.
  package var key: Credentials?
  /// The message itself, for clients that send it back as a sign of life.
  package var greeting: String?
  /// The interval of the client's pings, and the time that it waits for an answer.
  package var pingInterval: Duration?
  package var pongTimeout: Duration?
  /// The delays before the client's attempts to reconnect.
  package var schedule: ReturnSchedule?

  package init() {}
}
