/// A client's way on after a refusal or an end: it comes back with a new token after close 4401, for instance.
package enum ReturnVerdict: String, Hashable, Sendable, CaseIterable {
  /// Asks for a token, and comes back with it.
  case renew
  /// Comes back.
  case retry
  case giveUp = "give_up"

  /// The number of an error that says so, where a wire has verdicts in place of numbers.
  package var number: Int {
    switch self {
    case .renew: 1
    case .retry: 2
    case .giveUp: 3
    }
  }
}
