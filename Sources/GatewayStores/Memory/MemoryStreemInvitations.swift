internal import GatewayCore

/// Invitations by the hashes of their codes, and the wrong codes that were tried lately.
struct MemoryStreemInvitations {
  private struct Entry {
    let invitation: StreemInvitation
    var isTaken = false
  }

  /// The wrong codes of one address in the window that began then.
  private struct Tries {
    var since: WallTime
    var count: Int
  }

  private let max: Int
  private var entries: [[UInt8]: Entry] = [:]
  private var tries: [String: Tries] = [:]
  private var everybody = Tries(since: WallTime(nanoseconds: .min), count: 0)

  init(max: Int) {
    self.max = max
  }

  mutating func add(
    _ invitation: StreemInvitation, codeHash: [UInt8], at now: WallTime
  ) throws(GatewayError) -> Bool {
    if let entry = entries[codeHash], now < entry.invitation.expiresAt { return false }
    if entries.count >= max { entries = entries.filter { now < $0.value.invitation.expiresAt } }
    guard entries.count < max else { throw .tooMany.detailed("\(max) invitations") }
    entries[codeHash] = Entry(invitation: invitation)
    return true
  }

  mutating func take(
    codeHash: [UInt8], from address: String, limits: StreemTryLimits, at now: WallTime
  ) -> StreemInvitationOutcome {
    if let wait = wait(tries[address], limits.perAddress, limits.window, now) { return .limited(retryAfter: wait) }
    if let wait = wait(everybody, limits.overall, limits.window, now) { return .limited(retryAfter: wait) }
    guard let entry = entries[codeHash], now < entry.invitation.expiresAt else {
      countWrong(from: address, limits: limits, at: now)
      return .invalid
    }
    guard !entry.isTaken else { return .consumed }
    entries[codeHash]?.isTaken = true
    return .taken(entry.invitation)
  }

  /// How long until there are tries again; nil if there are some.
  private func wait(_ tries: Tries?, _ most: Int, _ window: Duration, _ now: WallTime) -> Duration? {
    guard let tries, now < tries.since + window, tries.count >= most else { return nil }
    return tries.since + window - now
  }

  private mutating func countWrong(from address: String, limits: StreemTryLimits, at now: WallTime) {
    if tries.count >= limits.overall {
      // No more addresses than wrong codes are alive in one window, so this makes room.
      tries = tries.filter { now < $0.value.since + limits.window }
    }
    tries[address] = counted(tries[address], limits.window, now)
    everybody = counted(everybody, limits.window, now)
  }

  private func counted(_ tries: Tries?, _ window: Duration, _ now: WallTime) -> Tries {
    guard let tries, now < tries.since + window else { return Tries(since: now, count: 1) }
    return Tries(since: tries.since, count: tries.count + 1)
  }
}
