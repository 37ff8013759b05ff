internal import GatewayCore

/// The numbers of requests that are answered in a minute. Each operation and platform is counted separately.
struct StreamLimits: Hashable, Sendable {
  /// The limit of the whole application.
  var applicationPerMinute: Int
  /// The limit of one user; servers have none.
  var userPerMinute: Int

  /// Creates Stream's documented limits times `scale`, at least 1: 10 000 for connections, used for every operation
  /// since the table of the others is not published, and 60 for each user.
  init(scale: Double = 1) {
    applicationPerMinute = max(1, Int(min(1e12, 10_000 * scale)))
    userPerMinute = max(1, Int(min(1e12, 60 * scale)))
  }
}

/// The standing of a request in its window.
struct StreamLimitState: Hashable, Sendable {
  var limit: Int
  var remaining: Int
  /// The start of the next window, in whole seconds since 1970.
  var resetsAt: Int64
  /// The time until then in whole seconds, at least 1.
  var retryAfter: Int64
  /// Whether this request exceeds the limit.
  var isExceeded: Bool

  /// The header fields that every answer has.
  var headers: [HTTPField] {
    [
      HTTPField("x-ratelimit-limit", String(limit)), HTTPField("x-ratelimit-remaining", String(remaining)),
      HTTPField("x-ratelimit-reset", String(resetsAt)),
    ] + (isExceeded ? [HTTPField("retry-after", String(retryAfter))] : [])
  }
}
