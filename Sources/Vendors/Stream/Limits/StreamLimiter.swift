internal import GatewayCore
internal import GatewayKit

/// A counter of requests in one-minute windows of the clock, for all nodes of the gateway. It runs on one executor.
actor StreamLimiter {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The maximum number of pairs of user and operation that are counted in one minute; further users have no limit of
  /// their own.
  static let usersMax = 200_000

  private struct Key: Hashable {
    var operation: String
    var platform: StreamPlatform
    /// Nil for the whole application.
    var user: UserID?
  }

  private let executor: any SerialExecutor
  private let limits: StreamLimits
  nonisolated let tally: NodeTally
  /// The current minute.
  private var minute: Int64 = 0
  private var counts: [Key: Int] = [:]

  init(on executor: any SerialExecutor, limits: StreamLimits, tally: NodeTally) {
    self.executor = executor
    self.limits = limits
    self.tally = tally
  }

  /// Counts one request at `now`, of a server if `user` is nil. Returns the standing in the narrower of its windows.
  func count(
    _ operation: String, _ platform: StreamPlatform, user: UserID?, at now: WallTime
  ) -> StreamLimitState {
    let (state, isCounted) = counted(operation, platform, user: user, at: now)
    if isCounted { tally.tell("\(platform.rawValue) \(operation) \(user.map { "/" + $0.rawValue } ?? "")") }
    return state
  }

  /// Counts a request to another node, if the note is about one.
  func hear(_ note: VendorNote, at now: WallTime) {
    guard let parts = tally.parts(3, of: note), let platform = StreamPlatform(rawValue: parts[0]) else { return }
    let user = parts[2].isEmpty ? nil : UserID(String(parts[2].dropFirst()))
    _ = counted(parts[1], platform, user: user, at: now)
  }

  /// Counts one request. Returns its standing, and whether it counts for the application.
  private func counted(
    _ operation: String, _ platform: StreamPlatform, user: UserID?, at now: WallTime
  ) -> (StreamLimitState, isCounted: Bool) {
    let seconds = now.nanoseconds / 1_000_000_000
    if seconds / 60 != minute {
      minute = seconds / 60
      counts.removeAll(keepingCapacity: true)
    }
    let resetsAt = (minute + 1) * 60
    var state = take(
      Key(operation: operation, platform: platform, user: nil), of: limits.applicationPerMinute, resetsAt, seconds)
    guard let user, !state.isExceeded else { return (state, !state.isExceeded) }
    let key = Key(operation: operation, platform: platform, user: user)
    if counts[key] != nil || counts.count < Self.usersMax {
      let own = take(key, of: limits.userPerMinute, resetsAt, seconds)
      if own.remaining < state.remaining || own.isExceeded { state = own }
    }
    return (state, true)
  }

  /// Returns the application's standing for those operations, or for those counted in this minute if none is given.
  func standing(
    _ platform: StreamPlatform, _ operations: [String], at now: WallTime
  ) -> [(operation: String, state: StreamLimitState)] {
    let seconds = now.nanoseconds / 1_000_000_000
    let isSame = seconds / 60 == minute
    let counted = counts.keys.filter { isSame && $0.platform == platform && $0.user == nil }.map(\.operation)
    let limit = limits.applicationPerMinute
    return Set((operations.isEmpty ? counted : operations).map { Name($0) }).sorted().map { name in
      let count = isSame ? counts[Key(operation: name.text, platform: platform, user: nil), default: 0] : 0
      let resetsAt = (seconds / 60 + 1) * 60
      let state = StreamLimitState(
        limit: limit, remaining: max(0, limit - count), resetsAt: resetsAt, retryAfter: max(1, resetsAt - seconds),
        isExceeded: count >= limit)
      return (name.text, state)
    }
  }

  private func take(_ key: Key, of limit: Int, _ resetsAt: Int64, _ seconds: Int64) -> StreamLimitState {
    let count = counts[key, default: 0]
    if count < limit { counts[key] = count + 1 }
    return StreamLimitState(
      limit: limit, remaining: max(0, limit - count - 1), resetsAt: resetsAt, retryAfter: max(1, resetsAt - seconds),
      isExceeded: count >= limit)
  }
}
