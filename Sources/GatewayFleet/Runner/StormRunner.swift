internal import GatewayCore
package import GatewayRuntime

/// The controller of one process's part of a storm: ramp, hold, expiry, settling, end.
///
/// An actor on the first loop. It checks the storm a few times a second and never touches the clients' path.
package actor StormRunner {
  private nonisolated let setup: StormSetup
  private nonisolated let loops: [(loop: EventLoop, dialer: any Dialer)]
  private nonisolated let report: @Sendable (StormProgress) -> Void
  private nonisolated let snapshots: (@Sendable ([StormResult]) -> Void)?
  private nonisolated let ownFigures: @Sendable () -> ProcessProbe.Sample?
  private var fleets: [LoopFleet] = []
  private var probes: [ProcessProbe.Moment: ProcessProbe.Sample] = [:]
  private var generator: [ProcessProbe.Moment: ProcessProbe.Sample] = [:]
  private var isInterrupted = false
  /// The time for which the watching loop itself stood still.
  private var overslept = Duration.zero
  /// The number of scenario phases that have begun on every loop.
  private var begunPhases = 0
  private var start = Instant.zero
  private var nextSnapshot = Instant.zero
  /// The longest timeout that the gateway has announced.
  private var longestTimeout: Duration?
  /// The longest life of a token that has arrived, and the number of tokens of unknown end.
  private var longestLife: Duration?
  private var endless = 0

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loops[0].loop.asUnownedSerialExecutor() }

  /// The interval between checks.
  private static let pause = Duration.milliseconds(250)
  /// The interval between snapshots.
  private static let snapshotPause = Duration.seconds(1)
  /// The maximum duration of the closing handshakes at the end.
  private static let farewell = Duration.seconds(5)
  /// The time before the expected refreshes at which the gateway is probed.
  private static let probeAhead = Duration.milliseconds(300)
  private static let probeTimeout = Duration.seconds(5)
  /// One year in seconds, the maximum life that a storm waits for.
  private static let lifeMax = 31_557_600.0

  /// Creates the runner of one process's part of a storm.
  ///
  /// - Parameters:
  ///   - setup: The plan, and this process's part of it.
  ///   - loops: Running loops, as many as the plan has.
  ///   - report: Called with the progress a few times a second, on the first loop.
  ///   - snapshots: Called once a second with each loop's counts so far, on the first loop; nil for none.
  ///   - ownFigures: Returns the system's figures for this process, if it is measured.
  package init(
    _ setup: StormSetup, loops: [(loop: EventLoop, dialer: any Dialer)],
    report: @escaping @Sendable (StormProgress) -> Void = { _ in },
    snapshots: (@Sendable ([StormResult]) -> Void)? = nil,
    ownFigures: @escaping @Sendable () -> ProcessProbe.Sample? = { nil }
  ) {
    precondition(loops.count == setup.plan.loops, "a storm has the loops of its plan")
    self.setup = setup
    self.loops = loops
    self.ownFigures = ownFigures
    self.report = report
    self.snapshots = snapshots
  }

  /// Ends the storm early, or releases a part that waits for the others. The storm still returns its result. From any
  /// thread.
  package nonisolated func interrupt() {
    loops[0].loop.execute { self.assumeIsolated { $0.isInterrupted = true } }
  }

  /// Runs the storm, once.
  package func run() async -> StormResult {
    let loop = loops[0].loop
    start = loop.now + (setup.startsAt - loop.wallTime)
    await assemble()
    await probe(.beforeRamp)
    for fleet in fleets { await fleet.perform { $0.begin() } }
    let end = await watch()
    if end != .interrupted && setup.waitsForOthers { await waitForOthers() }
    let marks = await marks()
    await probe(.afterSettling)
    let stopped = loop.now
    await leave()
    var result = StormResult()
    for fleet in fleets { result.merge(await fleet.perform { $0.ledger.result }) }
    for fleet in fleets { await fleet.perform { $0.dismiss() } }
    result.probes = probes
    result.generator = generator
    if let processors = setup.processors { result.lateness?.processors = processors }
    result.wasInterrupted = end == .interrupted
    result.ranOutOfTime = end == .outOfTime
    if end == .endless { result.stopped = "nobody says when the tokens end, so the storm would wait for nothing" }
    result.seconds = max(0, (stopped - start).inSeconds)
    result.phases = phases(marks, until: result.seconds)
    result.triggerEnd = [setup.disturbedUntil, setup.phases.disturbedUntil].compactMap { $0 }.max()?.inSeconds
    if setup.plan.expiry == .common { result.askOrderedAt = setup.phases.asksAt?.inSeconds }
    result.given = setup.plan.given(timeout: result.seen.longestTimeout.map { .seconds($0) }).inSeconds
    return result
  }

  /// Returns the counts at the beginning of each phase that has begun, and the current ones.
  private func marks() async -> [StormResult] {
    let begun = begunPhases
    var sums = Array(repeating: StormResult(), count: begun + 1)
    for fleet in fleets {
      let parts = await fleet.perform { Array($0.ledger.marks.prefix(begun)) + [$0.ledger.result] }
      for (index, part) in parts.enumerated() { sums[index].merge(part) }
    }
    return sums
  }

  /// Returns the counts of each phase that has begun; nil without a scenario.
  private func phases(_ marks: [StormResult], until end: Double) -> [PhaseResult]? {
    guard !setup.phases.phases.isEmpty else { return nil }
    let begun = setup.phases.phases.prefix(marks.count - 1)
    return begun.enumerated().map { index, phase in
      PhaseResult(
        name: phase.name, from: phase.start.inSeconds,
        to: index + 1 < begun.count ? begun[index + 1].start.inSeconds : max(end, phase.start.inSeconds),
        result: marks[index + 1].since(marks[index]))
    }
  }

  private enum End: Hashable {
    case settled
    case outOfTime
    case interrupted
    /// The ends of the tokens are unknown, and so is the end of the storm.
    case endless
  }

  private func assemble() async {
    let behaviours = setup.plan.behaviours.assignment(clients: setup.plan.people, seed: setup.plan.seed)
    for (number, place) in loops.enumerated() {
      let fleet = await withCheckedContinuation { continuation in
        place.loop.execute { [setup] in
          continuation.resume(
            returning: LoopFleet(
              setup, loop: place.loop, dialer: place.dialer, loopNumber: number, behaviours: behaviours))
        }
      }
      fleets.append(fleet)
    }
  }

  /// Watches the storm until it is over.
  private func watch() async -> End {
    let loop = loops[0].loop
    let size = fleets.reduce(0) { $0 + $1.size }
    var isProbedBeforeExpiry = false
    while true {
      let next = setup.phases.phases.dropFirst(begunPhases).first.map { start + $0.start }
      if let next, loop.now >= next {
        begunPhases += 1
        for fleet in fleets { await fleet.perform { [begunPhases] in $0.ledger.beginPhases(begunPhases) } }
        // An order waits for this report.
        report(await look())
        continue
      }
      let progress = await look()
      report(progress)
      if isInterrupted { return .interrupted }
      if endless > 0 && setup.endpointChoosesEnds && setup.plan.bound == nil { return .endless }
      if let end = openEnd {
        if loop.now >= end { return .settled }
        let due = min(loop.now + Self.pause, end, next ?? end)
        await loop.sleep(until: due)
        continue
      }
      let isOrderCarriedOut = progress.started == size && loop.now >= start + leastLength
      if isOrderCarriedOut, progress.settled + (progress.refreshingAgain ?? 0) >= size, await areThrough() {
        return .settled
      }
      let end = start + setup.end(timeout: longestTimeout, life: longestLife)
      // Messages that arrived while the storm itself stood still are read first.
      if loop.now >= end + (setup.plan.bound == nil ? overslept : .zero) { return .outOfTime }
      let onset = setup.plan(living: longestLife).onset
      if !isProbedBeforeExpiry && loop.now + Self.probeAhead + Self.pause > start + onset {
        isProbedBeforeExpiry = true
        await probe(.beforeExpiry)
      }
      let due = min(loop.now + Self.pause, next ?? loop.now + Self.pause)
      await loop.sleep(until: due)
      if loop.now - due > Self.pause { overslept += loop.now - due }
    }
  }

  /// When a storm of clients that come and go ends; nil for another.
  private var openEnd: Instant? {
    setup.plan.arrivals == nil ? nil : start + max(setup.end(timeout: nil), setup.phases.end)
  }

  private func areThrough() async -> Bool {
    var areAll = true
    for fleet in fleets where await !fleet.perform({ $0.isThrough() }) { areAll = false }
    return areAll
  }

  /// The minimum duration: a storm without renewals lasts for the plan's hold.
  private var leastLength: Duration {
    setup.dialect.habits.refresh.how == .none ? max(setup.phases.end, setup.plan.heldUntil) : setup.phases.end
  }

  /// Reports that this part is done, until the storm is interrupted.
  private func waitForOthers() async {
    while !isInterrupted {
      var progress = await look()
      progress.isThrough = true
      report(progress)
      await loops[0].loop.sleep(until: loops[0].loop.now + Self.pause)
    }
  }

  private func look() async -> StormProgress {
    var progress = StormProgress()
    endless = 0
    for fleet in fleets {
      let (part, seen, tokens) = await fleet.perform { fleet in
        (fleet.progress, fleet.ledger.result.seen, fleet.ledger.result.tokens)
      }
      progress.add(part)
      if let life = tokens.longestLife { longestLife = max(longestLife ?? .zero, .seconds(min(life, Self.lifeMax))) }
      endless += tokens.endless
      if let timeout = seen.longestTimeout { longestTimeout = max(longestTimeout ?? .zero, .seconds(timeout)) }
    }
    progress.phases = begunPhases
    let elapsed = loops[0].loop.now - start
    progress.seconds = max(0, elapsed.inSeconds)
    if let snapshots, loops[0].loop.now >= nextSnapshot {
      nextSnapshot = loops[0].loop.now + Self.snapshotPause
      var parts: [StormResult] = []
      for fleet in fleets { parts.append(await fleet.perform { $0.ledger.result }) }
      parts[0].seconds = progress.seconds
      snapshots(parts)
    }
    progress.stage =
      isInterrupted
      ? .leaving
      : elapsed < setup.plan.pacer.duration
        ? .connecting
        : elapsed < setup.plan(living: longestLife).onset ? .holding : .refreshing
    return progress
  }

  private func leave() async {
    let loop = loops[0].loop
    for fleet in fleets { await fleet.perform { $0.stop() } }
    let deadline = loop.now + Self.farewell
    while loop.now < deadline {
      var isOver = true
      for fleet in fleets where await !fleet.perform({ $0.isOver }) { isOver = false }
      if isOver { return }
      await loop.sleep(until: loop.now + Self.pause)
    }
  }

  /// Reads this process's figures and, in process 0, the gateways' metrics.
  private func probe(_ moment: ProcessProbe.Moment) async {
    generator[moment] = ownFigures()
    guard setup.process == 0 else { return }
    var sum: ProcessProbe.Sample?
    for control in setup.controls {
      guard let sample = await metrics(of: control) else { return }
      sum = sum.map { $0 + sample } ?? sample
    }
    probes[moment] = sum
  }

  private func metrics(of control: DialTarget) async -> ProcessProbe.Sample? {
    var request = HTTPRequest(method: "GET", path: "/metrics")
    if let secret = setup.controlSecret {
      request.headers.append(HTTPField("authorization", "Bearer \(secret.token)"))
    }
    let result = await loops[0].dialer.fetch(request, from: control, timeout: Self.probeTimeout)
    guard case .success(let response) = result, response.status == 200 else { return nil }
    return ProcessProbe.Sample(exposition: String(decoding: response.body, as: UTF8.self))
  }
}
