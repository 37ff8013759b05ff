internal import GatewayCore

/// A session that the gateway of a world keeps beyond its connection, for clients with keys. Times are in nanoseconds,
/// as all instants of a world.
struct KeptSession {
  /// The end of the token that opened or last refreshed it, and the time at which it did.
  var tokenEnd: Int64 = 0
  var begunAt: Int64 = 0
  /// The end of the session, unless it is refreshed.
  var end: Int64 = 0

  /// Opens or continues the session with a token that ends at `tokenEnd`.
  mutating func begin(until tokenEnd: Int64, _ times: TokenTimes, at now: Int64) {
    self.tokenEnd = tokenEnd
    begunAt = now
    end = times.sessionLife.map { min(tokenEnd, now + $0.nanoseconds) } ?? tokenEnd
  }

  /// The kind of request at its end: for the same token while that is valid, otherwise for another one.
  var renewal: RefreshCause { end < tokenEnd ? .sessionEnd : .expiry }
}
