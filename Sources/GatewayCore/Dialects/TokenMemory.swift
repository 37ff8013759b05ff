/// The state that a client keeps between its token requests, e.g. the rotating refresh token of the last answer.
package struct TokenMemory: Hashable, Sendable {
  /// The values taken from answers, by the slots of the description.
  package var taken: [String?]
  /// The latest token.
  package var token: Credentials?
  /// The number of requests that were not refused and gave no token. If the endpoint has several places, each failure
  /// selects the next one.
  package var failures = 0
  /// The number of requests made.
  package var requests: UInt32 = 0

  package init(slots: Int = 0) {
    taken = Array(repeating: nil, count: slots)
  }
}
