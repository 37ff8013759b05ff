/// The memory of a client between its requests for tokens: the rotating refresh token of the last answer, for instance.
package struct TokenMemory: Hashable, Sendable {
  /// What was taken from answers, by the description's slots.
  package var taken: [String?]
  /// The latest token.
  package var token: Credentials?
  /// Requests that were refused by nobody and gave nothing: of several endpoints the next has its turn.
  package var failures = 0
  /// How many requests were made.
  package var requests: UInt32 = 0

  package init(slots: Int = 0) {
    taken = Array(repeating: nil, count: slots)
  }
}
