internal import GatewayCore
internal import GatewayTokens

/// The counts of recent wrong passwords by account. A new login does not reset them.
///
/// Each existing account has its own count. Unknown names share a fixed number of counts, so guessing names costs no
/// memory and displaces no account's count. The answers are the same as for an account.
struct OpenIDTries {
  private struct Tries {
    var since = WallTime(nanoseconds: .min)
    var wrong = 0
  }

  private static let strangersMax = 1_024

  private let max: Int
  private let window: Duration
  private var accounts: [OpenIDAccount: Tries] = [:]
  private var strangers = [Tries](repeating: Tries(), count: strangersMax)

  init(max: Int, window: Duration) {
    self.max = max
    self.window = window
  }

  /// Returns the time until the account's password is checked again; nil if it is checked now.
  func wait(_ account: OpenIDAccount, isKnown: Bool, at now: WallTime) -> Duration? {
    let tries = self[account, isKnown]
    let end = tries.since + window
    return tries.wrong >= max && now < end ? end - now : nil
  }

  mutating func countWrong(_ account: OpenIDAccount, isKnown: Bool, at now: WallTime) {
    var tries = self[account, isKnown]
    if tries.wrong == 0 || now >= tries.since + window { tries = Tries(since: now) }
    tries.wrong += 1
    self[account, isKnown] = tries
  }

  private subscript(account: OpenIDAccount, isKnown: Bool) -> Tries {
    get { isKnown ? accounts[account] ?? Tries() : strangers[Self.place(of: account)] }
    set { if isKnown { accounts[account] = newValue } else { strangers[Self.place(of: account)] = newValue } }
  }

  private static func place(of account: OpenIDAccount) -> Int {
    let hash = SHA256.digest("\(account.company)~\(account.user)".utf8)
    return hash.prefix(2).reduce(0) { $0 << 8 | Int($1) } % strangersMax
  }
}
