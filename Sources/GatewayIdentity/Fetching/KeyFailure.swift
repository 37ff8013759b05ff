/// Why keys could not be fetched.
package struct KeyFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The results by which fetches are counted.
  package enum Result: String, Hashable, Sendable, CaseIterable {
    case read, unchanged
    case refused, unreachable, timedOut = "timed_out", malformed
  }

  /// Contains nothing of the answer's body but names of keys.
  package let description: String
  package let result: Result
  /// The status of an answer that refuses.
  var status: Int?
  /// How long the server wants to be left alone.
  var retryAfter: Duration?
  /// Whether the settings are wrong and no later answer will be better.
  package var isLasting = false
  /// The name of the issuer whose keys they are, where it is said.
  package var issuer: String?

  package init(_ description: String, _ result: Result) {
    self.description = description
    self.result = result
  }

  /// Whether there is nothing at the address.
  var isMissing: Bool { status == 404 || status == 410 }
}
