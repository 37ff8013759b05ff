/// A client's action after a refusal or a close.
package enum ReturnVerdict: String, Hashable, Sendable, CaseIterable {
  /// The client requests a token, and reconnects with it.
  case renew
  /// The client reconnects.
  case retry
  case giveUp = "give_up"

  /// The number that stands for the verdict as an error, where a wire has verdicts instead of numbers.
  package var number: Int {
    switch self {
    case .renew: 1
    case .retry: 2
    case .giveUp: 3
    }
  }
}
