internal import GatewayCore
internal import GatewayKit
package import GatewayRuntime

extension HostedSpace {
  /// How many deadlines one move meets at most.
  private static let stepsMax = 100_000

  /// Advances the time of the space, from deadline to deadline. Before the first move and after each, clients that owe
  /// an answer get at most `patience` in the network's time. The time of the space stands still during that, so an
  /// answer comes at the time of its request. A client that let the patience pass is not waited for again over the same
  /// request. A client whose token the provider is still making waits for the time of the space. That time then
  /// advances at once, but no timeout of the client passes before the patience has passed. Only from a task on the
  /// host.
  package nonisolated(nonsending) func advance(
    by duration: Duration, patience: Duration = .seconds(1), wall: Advance.WallClock = .moves,
    until stop: Advance.Stop? = nil
  ) async throws(Advance.Failure) -> Advance {
    host.preconditionOnLoop()
    guard !isEnding else { throw .ended }
    guard let driver, let space else { throw .timeIsReal }
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
    let table = space.gateway.tables[0]
    let (asked, lost) = (table.refreshRequests, table.cutOffs)
    var (advance, givenUp) = (Advance(), Set<OwedAnswer>())
    await hearAnswers(of: space, driver, patience, upTo: end, givenUp: &givenUp)
    while let next = loop.deadlines.earliest, next <= end, !isEnding {
      guard advance.steps < Self.stepsMax else { throw .endless(steps: advance.steps) }
      advance.steps += 1
      driver.move(to: max(next, loop.now), wall: wall == .moves)
      await hearAnswers(of: space, driver, patience, upTo: end, givenUp: &givenUp)
      if stop == .refreshRequired && table.refreshRequests > asked { break }
    }
    if stop == nil || table.refreshRequests == asked { driver.move(to: end, wall: wall == .moves) }
    driver.settle()
    advance.moved = loop.now - start
    advance.cutOff = Int(clamping: table.cutOffs - lost)
    advance.owing = loop.asCurrent { table.owingSessions }
    advance.sleeping = sleeping
    return advance
  }

  /// The maximum number of sleeping tasks in the answer.
  private static let sleepsMax = 100

  /// The tasks that wait for time to pass in a frozen space, e.g. a token provider that takes two seconds. Empty if time
  /// passes.
  package var sleeping: [EventLoop.Sleep] { isFrozen ? loop.asCurrent { loop.sleeps(limit: Self.sleepsMax) } : [] }

  /// The answer to one question: the same client that is asked again has another timeout.
  private struct OwedAnswer: Hashable {
    let connection: ConnectionID
    let cutOffAt: Instant

    init(_ session: OwingSession) { (connection, cutOffAt) = (session.id, session.cutOffAt) }
  }

  /// Waits until no client owes an answer, except clients that were given up before or that wait for the provider.
  private nonisolated(nonsending) func hearAnswers(
    of space: Space, _ driver: SpaceDriver, _ patience: Duration, upTo end: Instant,
    givenUp: inout Set<OwedAnswer>
  ) async {
    let table = space.gateway.tables[0]
    var patience = Patience(patience)
    while true {
      driver.settle()
      let owing = table.owing > 0 ? loop.asCurrent { table.owingTimeouts } : []
      givenUp.formIntersection(owing.map(OwedAnswer.init))
      guard !owing.isEmpty, !isEnding else { return }
      let users = loop.asCurrent { space.provider.assumeIsolated { $0.waitingUsers } }
      let asleep = owing.filter { $0.user.map(users.contains) ?? false }
      // A client whose token comes later is waited for again when the token has come.
      givenUp.subtract(asleep.map(OwedAnswer.init))
      let thinking = owing.filter { session in
        !givenUp.contains(OwedAnswer(session)) && !asleep.contains { $0.id == session.id }
      }
      if thinking.isEmpty {
        guard let next = loop.deadlines.earliest, next <= end else { return }
        guard asleep.contains(where: { $0.cutOffAt <= next }) else { return }
      }
      guard patience.isLeft else {
        givenUp.formUnion(thinking.map(OwedAnswer.init))
        return
      }
      let before = host.now
      await traffic.wait(until: before + patience.piece)
      patience.spend(host.now - before)
      // Messages that clients sent while this thread had no processor time are read before the clients are given up.
      if !patience.isLeft { await host.pause() }
    }
  }
}

extension LoopTable {
  fileprivate var refreshRequests: UInt64 { metrics.dialects.reduce(0) { $0 + $1.refreshesRequested.total } }
}
