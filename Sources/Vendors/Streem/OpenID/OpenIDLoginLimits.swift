internal import GatewayCore
internal import Synchronization

/// The rate limits of the login form. Each process counts for itself.
final class OpenIDLoginLimits: Sendable {
  private struct State {
    var addresses: AddressQuota
    var tries: OpenIDTries
  }

  private let state: Mutex<State>

  init(_ settings: OpenIDSettings) {
    state = Mutex(
      State(
        addresses: AddressQuota(perMinute: settings.loginsPerMinute),
        tries: OpenIDTries(max: settings.tries, window: settings.triesWindow)))
  }

  /// The outcome of a submitted form.
  enum Outcome {
    case right
    case wrong
    /// The password was not checked: too many tries for the account, or from the address.
    case wait(Duration)
  }

  /// Counts a form from `address`. Above a limit the answer does not reveal whether the password was right. Concurrent
  /// forms are counted one after another.
  func count(_ account: OpenIDAccount, isRight: Bool, isKnown: Bool, from address: String, at now: WallTime) -> Outcome
  {
    state.withLock { state in
      if let wait = state.addresses.take(address, at: Instant(nanoseconds: now.nanoseconds)) { return .wait(wait) }
      if let wait = state.tries.wait(account, isKnown: isKnown, at: now) { return .wait(wait) }
      guard !isRight else { return .right }
      state.tries.countWrong(account, isKnown: isKnown, at: now)
      return .wrong
    }
  }
}
