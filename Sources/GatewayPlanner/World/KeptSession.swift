internal import GatewayCore

/// A session as the gateway of a world keeps it beyond its connection, where clients have keys: until when the key is
/// good that opens the next one, for instance. In nanoseconds, as all instants of a world.
struct KeptSession {
  /// When the token ends by which it was opened or last refreshed, and when that was.
  var tokenEnd: Int64 = 0
  var begunAt: Int64 = 0
  /// When it ends, unless it is refreshed.
  var end: Int64 = 0

  /// Opens it, or goes on, by a token that ends then.
  mutating func begin(until tokenEnd: Int64, _ times: TokenTimes, at now: Int64) {
    self.tokenEnd = tokenEnd
    begunAt = now
    end = times.sessionLife.map { min(tokenEnd, now + $0.nanoseconds) } ?? tokenEnd
  }

  /// What is asked for at its end: the token again as long as that is good, another one otherwise.
  var renewal: RefreshCause { end < tokenEnd ? .sessionEnd : .expiry }
}
