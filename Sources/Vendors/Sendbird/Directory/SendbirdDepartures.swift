internal import GatewayCore

/// Which group channels users are in no more, and since when: the latest of each user, and of all.
struct SendbirdDepartures {
  private static let perUserMax = 100

  private let countMax: Int
  private var entries: [UserID: [(channel: Name, at: WallTime)]] = [:]
  private var count = 0

  init(countMax: Int) {
    self.countMax = max(2, countMax)
  }

  mutating func note(_ user: UserID, from channel: Name, at now: WallTime) {
    entries[user, default: []].append((channel, now))
    count += 1
    if let own = entries[user], own.count > Self.perUserMax {
      entries[user]?.removeFirst()
      count -= 1
    }
    if count > countMax { forgetHalf() }
  }

  /// The channels that the user has left at `since` or later, in that order.
  func channels(of user: UserID, since: WallTime) -> [Name] {
    (entries[user] ?? []).filter { $0.at >= since }.map(\.channel)
  }

  private mutating func forgetHalf() {
    let times = entries.values.joined().map(\.at).sorted()
    guard times.count > 1 else { return }
    let middle = times[times.count / 2]
    entries = entries.compactMapValues { own in
      let kept = own.filter { $0.at > middle }
      return kept.isEmpty ? nil : kept
    }
    count = entries.values.reduce(0) { $0 + $1.count }
  }
}
