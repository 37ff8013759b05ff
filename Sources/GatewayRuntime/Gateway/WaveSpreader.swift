internal import GatewayCore

/// One loop's share of a ``SpreadOrder``: the sessions, each with its time.
///
/// It asks a session only if that still has the token that was meant; a session that was refreshed or has ended is skipped.
/// Touched only on its loop; the table keeps it until it is through.
final class WaveSpreader: WakeupTarget {
  /// The time at which a session is asked, if it still has the token that ends at that time.
  struct Turn {
    let serial: UInt64
    let expiry: Instant
    let at: Instant
  }

  /// Sessions whose times are this close are asked together, so that a loop is not woken thousands of times a second.
  private static let breath = Duration.milliseconds(5)

  /// The number of the order.
  let order: UInt64
  private unowned let table: LoopTable
  private let turns: [Turn]
  private var next = 0
  private var wakeup: Wakeup!

  /// - Parameter turns: In the order of their times, and at least one.
  init(_ turns: [Turn], of order: UInt64, on table: LoopTable) {
    self.turns = turns
    self.order = order
    self.table = table
    wakeup = Wakeup(target: self)
  }

  func start() { table.loop.deadlines.set(wakeup, at: turns[next].at) }

  /// The sessions that are still to be asked.
  var waiting: some Sequence<UInt64> { turns[next...].lazy.map(\.serial) }

  var progress: SpreadOrder.Progress {
    let last = turns.last?.at ?? table.loop.now
    return .init(order: order, waiting: turns.count - next, left: max(.zero, last - table.loop.now))
  }

  /// Stops asking. Returns how many sessions would still have been asked.
  func stop() -> Int {
    table.loop.deadlines.remove(wakeup)
    let left = turns[next...].count { table.connections[$0.serial]?.dueTimes?.expiry == $0.expiry }
    next = turns.count
    return left
  }

  func wakeUp() {
    let now = table.loop.now
    while next < turns.count, turns[next].at <= now {
      let turn = turns[next]
      next += 1
      guard let connection = table.connections[turn.serial], connection.dueTimes?.expiry == turn.expiry else {
        continue
      }
      connection.control(.askForRefresh)
    }
    if next < turns.count {
      table.loop.deadlines.set(wakeup, at: max(turns[next].at, now + Self.breath))
    } else {
      table.spreads.removeAll { $0 === self }
    }
  }
}
