internal import GatewayCore

/// One loop's share of a ``SpreadOrder``: it knows who is to be asked when, wakes up for that, and asks who still lives
/// by the token that was meant. Who has got another in the meantime, or has gone, is left alone. Of 1,000 sessions in
/// 10 s one is asked every 10 ms, for instance.
///
/// Touched only on its loop; the table keeps it until it is through.
final class WaveSpreader: WakeupTarget {
  /// A session's turn to be asked: ann's at 14:29:52.1, if she still lives by the token that ends at 14:30, for
  /// instance.
  struct Turn {
    let serial: UInt64
    let expiry: Instant
    let at: Instant
  }

  /// Those whose time comes so soon after another's are asked with it: a loop is not woken thousands of times a second.
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

  /// Those whose turn has not come.
  var waiting: some Sequence<UInt64> { turns[next...].lazy.map(\.serial) }

  var progress: SpreadOrder.Progress {
    let last = turns.last?.at ?? table.loop.now
    return .init(order: order, waiting: turns.count - next, left: max(.zero, last - table.loop.now))
  }

  /// Asks nobody any more. Returns how many would still have been asked.
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
