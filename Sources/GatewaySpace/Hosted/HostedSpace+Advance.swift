internal import GatewayCore
package import GatewayRuntime

extension HostedSpace {
  /// How many deadlines one move meets at most.
  private static let stepsMax = 100_000

  /// Moves the time of the space on, from deadline to deadline. After each it is given to those who owe an answer then, in
  /// the time of the network, at most `patience`; theirs stands still meanwhile, so an answer comes at the time of its
  /// question. Who let the patience pass is not waited for again. Only from a task on the host.
  package nonisolated(nonsending) func advance(
    by duration: Duration, patience: Duration = .seconds(1), wall: Advance.WallClock = .moves,
    until stop: Advance.Stop? = nil
  ) async throws(Advance.Failure) -> Advance {
    host.preconditionOnLoop()
    guard !isEnding else { throw .ended }
    guard !isAdvancing else { throw .alreadyUnderWay }
    guard moved + max(.zero, duration) <= Advance.farthestInAll else { throw .tooFar }
    isAdvancing = true
    driver.stop(wall: wall == .moves)
    let start = loop.now
    defer {
      moved += loop.now - start
      if !isFrozen && !isEnding { driver.run() }
      isAdvancing = false
      use()
    }
    let end = start + max(.zero, duration)
    let (asked, lost) = (refreshRequests, table.cutOffs)
    var (advance, givenUp) = (Advance(), 0)
    driver.settle()
    while let next = loop.deadlines.earliest, next <= end, !isEnding {
      guard advance.steps < Self.stepsMax else { throw .endless(steps: advance.steps) }
      advance.steps += 1
      driver.move(to: max(next, loop.now), wall: wall == .moves)
      await hearAnswers(patience, upTo: end, givenUp: &givenUp)
      if stop == .refreshRequired && refreshRequests > asked { break }
    }
    if stop == nil || refreshRequests == asked { driver.move(to: end, wall: wall == .moves) }
    driver.settle()
    advance.moved = loop.now - start
    advance.cutOff = Int(clamping: table.cutOffs - lost)
    advance.owing = loop.asCurrent { table.owingSessions }
    advance.sleeping = sleeping
    return advance
  }

  /// How many that sleep are told at most.
  private static let sleepsMax = 100

  /// What waits for time to pass where none does but what somebody moves: a client waits for its token, which the provider is
  /// to make in two seconds, and they never come. None where time passes.
  package var sleeping: [EventLoop.Sleep] { isFrozen ? loop.asCurrent { loop.sleeps(limit: Self.sleepsMax) } : [] }

  private var table: LoopTable { space.gateway.tables[0] }

  /// How many requests wait for what happens, and for nobody's sleep.
  private var watching: Int { space.gateway.journal?.waitingRequests ?? 0 }

  private var refreshRequests: UInt64 { table.metrics.dialects.reduce(0) { $0 + $1.refreshesRequested.total } }

  /// Waits until nobody owes an answer but those who were given up before.
  private nonisolated(nonsending) func hearAnswers(
    _ patience: Duration, upTo end: Instant, givenUp: inout Int
  ) async {
    let limit = host.now + patience
    while true {
      driver.settle()
      let owing = table.owing
      givenUp = min(givenUp, owing)
      guard owing > givenUp, !isEnding else { return }
      // A client that waits for its token waits for the provider, whose time is the space's own.
      if underWay > watching, let next = loop.deadlines.earliest, next <= end { return }
      guard host.now < limit else {
        givenUp = owing
        return
      }
      await traffic.wait(until: limit)
    }
  }
}
