package import GatewayCore

/// The numbers of requests that are answered in a minute, 60 of a user's for instance. Each number is counted apart for
/// every operation and platform.
package struct StreamLimits: Hashable, Sendable {
  /// By the whole application.
  package var applicationPerMinute: Int
  /// By one user; servers are exempt.
  package var userPerMinute: Int

  /// Stream's documented numbers, times `scale`, at least 1: 10 000 for connections, taken for every operation since the
  /// table of the others is not published, and 60 for each user.
  package init(scale: Double = 1) {
    applicationPerMinute = max(1, Int(min(1e12, 10_000 * scale)))
    userPerMinute = max(1, Int(min(1e12, 60 * scale)))
  }
}

/// The standing of a request in its window: the 41st of 60, for instance.
package struct StreamLimitState: Hashable, Sendable {
  package var limit: Int
  package var remaining: Int
  /// When the next window begins, in whole seconds since 1970.
  package var resetsAt: Int64
  /// How long until then, in whole seconds, at least 1.
  package var retryAfter: Int64
  /// Whether this request is above the limit.
  package var isExceeded: Bool

  /// The fields that every answer has.
  package var headers: [HTTPField] {
    [
      HTTPField("x-ratelimit-limit", String(limit)), HTTPField("x-ratelimit-remaining", String(remaining)),
      HTTPField("x-ratelimit-reset", String(resetsAt)),
    ] + (isExceeded ? [HTTPField("retry-after", String(retryAfter))] : [])
  }
}
