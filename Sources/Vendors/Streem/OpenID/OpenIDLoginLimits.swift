internal import GatewayCore
internal import GatewayKit
internal import Synchronization

/// The rate limits of the login form, over all nodes.
final class OpenIDLoginLimits: Sendable {
  private struct State {
    var addresses: AddressQuota
    var tries: OpenIDTries
  }

  private let state: Mutex<State>
  private let tally: NodeTally

  init(_ settings: OpenIDSettings, tally: NodeTally) {
    self.tally = tally
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
    let (outcome, isCounted) = state.withLock { state -> (Outcome, isCounted: Bool) in
      if let wait = state.addresses.take(address, at: Instant(nanoseconds: now.nanoseconds)) {
        return (.wait(wait), false)
      }
      if let wait = state.tries.wait(account, isKnown: isKnown, at: now) { return (.wait(wait), true) }
      guard !isRight else { return (.right, true) }
      state.tries.countWrong(account, isKnown: isKnown, at: now)
      return (.wrong, true)
    }
    if isCounted { tally.tell("from \(address)") }
    if case .wrong = outcome {
      let company = account.company.text
      tally.tell("\(isKnown ? "known" : "stranger") \(company.utf8.count) \(company)\(account.user.text)")
    }
    return outcome
  }

  /// Counts a form that was submitted at another node, or its wrong password, if the note is about one.
  func hear(_ note: VendorNote, at now: WallTime) {
    guard let parts = tally.parts(2, of: note) else { return }
    if parts[0] == "from" {
      return state.withLock { $0.addresses.count(parts[1], at: Instant(nanoseconds: now.nanoseconds)) }
    }
    guard let account = Self.account(parts[1]) else { return }
    state.withLock { $0.tries.countWrong(account, isKnown: parts[0] == "known", at: now) }
  }

  /// Returns the account in a note: the length of the company's code in bytes, a space, the code, and the user's name.
  private static func account(_ text: String) -> OpenIDAccount? {
    let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let length = Int(String(Substring(parts[0]))), 0...parts[1].count ~= length,
      let company = String(parts[1].prefix(length)), let user = String(parts[1].dropFirst(length))
    else { return nil }
    return OpenIDAccount(company: Name(company), user: Name(user))
  }
}
