internal import GatewayCore
internal import Synchronization

/// The rate limits of the login form. Each process counts for itself.
final class OpenIDDoor: Sendable {
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
  enum Passage {
    case open
    case wrong
    /// The password was not checked: too many tries for the account, or from the address.
    case wait(Duration)
  }

  /// Counts a form from `address`. Above a limit the answer does not reveal whether the password was right. Concurrent
  /// forms are counted one after another.
  func pass(_ account: OpenIDAccount, isRight: Bool, isKnown: Bool, from address: String, at now: WallTime) -> Passage {
    state.withLock { state in
      if let wait = state.addresses.take(address, at: Instant(nanoseconds: now.nanoseconds)) { return .wait(wait) }
      if let wait = state.tries.wait(account, isKnown: isKnown, at: now) { return .wait(wait) }
      guard !isRight else { return .open }
      state.tries.countWrong(account, isKnown: isKnown, at: now)
      return .wrong
    }
  }
}
