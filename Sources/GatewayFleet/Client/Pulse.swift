internal import GatewayCore

/// The times at which a client pings next, and at which it gives its connection up: in 25 s and in 35 s from a login
/// on, for instance.
struct Pulse: Hashable, Sendable {
  private(set) var nextPing: Instant?
  private(set) var despairsAt: Instant?
  private(set) var lastLife: Instant
  /// The habit, with the times that the gateway asked for.
  private let habit: KeepAliveHabit

  /// The pulse of a connection that has just logged in.
  init(_ habit: KeepAliveHabit, _ welcome: Welcome, at now: Instant) {
    var habit = habit
    if let interval = welcome.pingInterval { habit.interval = interval }
    if let timeout = welcome.pongTimeout { habit.limit = timeout }
    self.habit = habit
    lastLife = now
    restart(at: now)
  }

  /// The session was refreshed: it begins anew.
  mutating func restart(at now: Instant) {
    lastLife = now
    nextPing = habit.startsAtOnce ? now : now + habit.interval
    despairsAt = habit.limitCountsFromPing ? nil : now + habit.limit
  }

  var deadline: Instant? {
    guard let nextPing, let despairsAt else { return nextPing ?? despairsAt }
    return min(nextPing, despairsAt)
  }

  /// Something has come; `isAnswer` if it says that the other side lives, and is not only a message.
  mutating func heard(isAnswer: Bool, at now: Instant) {
    if habit.everyMessagePostpones && nextPing != nil { nextPing = now + habit.interval }
    guard isAnswer || habit.anyMessageCounts else { return }
    lastLife = now
    despairsAt = habit.limitCountsFromPing ? nil : now + habit.limit
    if habit.countsFromLife && isAnswer { nextPing = now + habit.interval }
  }

  /// What is to be done now.
  mutating func beat(at now: Instant) -> Beat {
    if let despairsAt, despairsAt <= now {
      self.despairsAt = nil
      if habit.despair == .stopsPinging { nextPing = nil }
      return .despair(habit.despair)
    }
    guard let nextPing, nextPing <= now else { return .none }
    self.nextPing = habit.countsFromLife ? nil : now + habit.interval
    if habit.limitCountsFromPing && despairsAt == nil { despairsAt = now + habit.limit }
    return .ping(habit.means)
  }

  /// The deed that is due: a ping by the wire's own message, for instance.
  enum Beat: Hashable {
    case none
    case ping(KeepAliveHabit.Means)
    case despair(KeepAliveHabit.Despair)
  }

  /// When a client that took the end of its connection for the gateway's will looks again.
  var looksAgainAt: Instant { lastLife + habit.limit }
}
