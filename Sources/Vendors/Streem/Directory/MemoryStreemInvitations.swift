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
  private let perInviterMax: Int
  private var entries: [[UInt8]: Entry] = [:]
  /// How many of the entries each expert made.
  private var counts: [Name: Int] = [:]
  private var tries: [Name: Tries] = [:]
  private var everybody = Tries(since: WallTime(nanoseconds: .min), count: 0)

  init(max: Int, perInviterMax: Int) {
    self.max = max
    self.perInviterMax = perInviterMax
  }

  mutating func add(
    _ invitation: StreemInvitation, codeHash: [UInt8], at now: WallTime
  ) throws(GatewayError) -> Bool {
    if let entry = entries[codeHash], now < entry.invitation.expiresAt { return false }
    if entries.count >= max || counts[invitation.inviter] ?? 0 >= perInviterMax { forgetExpired(at: now) }
    guard entries.count < max else { throw .tooMany.detailed("\(max) invitations") }
    guard counts[invitation.inviter] ?? 0 < perInviterMax else {
      throw .tooMany.detailed("\(perInviterMax) invitations of one expert")
    }
    if let old = entries.updateValue(Entry(invitation: invitation), forKey: codeHash) { countOne(less: old) }
    counts[invitation.inviter, default: 0] += 1
    return true
  }

  private mutating func forgetExpired(at now: WallTime) {
    for (hash, entry) in entries where entry.invitation.expiresAt <= now {
      entries[hash] = nil
      countOne(less: entry)
    }
  }

  private mutating func countOne(less entry: Entry) {
    let left = (counts[entry.invitation.inviter] ?? 1) - 1
    counts[entry.invitation.inviter] = left > 0 ? left : nil
  }

  mutating func take(
    codeHash: [UInt8], from address: String, limits: StreemTryLimits, at now: WallTime
  ) -> StreemInvitationOutcome {
    let address = AddressQuota.key(of: address)
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

  private mutating func countWrong(from address: Name, limits: StreemTryLimits, at now: WallTime) {
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
