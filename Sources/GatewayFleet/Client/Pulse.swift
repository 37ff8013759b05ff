internal import GatewayCore

/// The times at which a client sends its next ping and at which it gives up its connection.
struct Pulse: Hashable, Sendable {
  private(set) var nextPing: Instant?
  private(set) var despairsAt: Instant?
  private(set) var lastLife: Instant
  /// The habit, with the times that the gateway requested.
  private let habit: KeepAliveHabit

  /// Creates the pulse of a connection that has just logged in.
  init(_ habit: KeepAliveHabit, _ welcome: Welcome, at now: Instant) {
    var habit = habit
    if let interval = welcome.pingInterval { habit.interval = interval }
    if let timeout = welcome.pongTimeout { habit.limit = timeout }
    self.habit = habit
    lastLife = now
    restart(at: now)
  }

  /// Starts anew after a refresh of the session.
  mutating func restart(at now: Instant) {
    lastLife = now
    nextPing = habit.startsAtOnce ? now : now + habit.interval
    despairsAt = habit.limitCountsFromPing ? nil : now + habit.limit
  }

  var deadline: Instant? {
    guard let nextPing, let despairsAt else { return nextPing ?? despairsAt }
    return min(nextPing, despairsAt)
  }

  /// Notes an incoming message; `isAnswer` if it shows that the other side is alive, and is not only a message.
  mutating func heard(isAnswer: Bool, at now: Instant) {
    if habit.everyMessagePostpones && nextPing != nil { nextPing = now + habit.interval }
    guard isAnswer || habit.anyMessageCounts else { return }
    lastLife = now
    despairsAt = habit.limitCountsFromPing ? nil : now + habit.limit
    if habit.countsFromLife && isAnswer { nextPing = now + habit.interval }
  }

  /// Returns the action that is due now.
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

  /// An action that is due.
  enum Beat: Hashable {
    case none
    case ping(KeepAliveHabit.Means)
    case despair(KeepAliveHabit.Despair)
  }

  /// The time at which a client checks its connection again, after it took the end for the gateway's intention.
  var looksAgainAt: Instant { lastLife + habit.limit }
}
