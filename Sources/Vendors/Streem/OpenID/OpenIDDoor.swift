internal import GatewayCore
internal import Synchronization

/// The door that whoever sends the login form passes: it counts forms by address and wrong passwords by account, and
/// lets the eleventh wait, for instance. Of one process: who asks two has the tries of two.
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

  /// The lot of a form: it has to wait, for instance, after too many tries.
  enum Passage {
    case open
    case wrong
    /// Nothing was looked at: too many tries for the account, or from the address.
    case wait(Duration)
  }

  /// Counts a form that came from `address`. Nobody learns whether the password was right where there were too many tries,
  /// and many forms at once are counted one after the other.
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
