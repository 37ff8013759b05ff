internal import GatewayCore

// How late the loop itself was, and what of a latency is its own.

extension Ledger {
  /// The absences of the loop: those that it sees by its heartbeat, and those by which clients began late.
  struct Watch {
    var absences = LoopAbsences()
    var lateStarts = LoopAbsences()
    /// When the heartbeat is due.
    var nextBeat: Instant
    /// Whether a first login waits for nobody: its token is at hand, and it begins when the plan says.
    let startsByPlan: Bool
    let process: Int
    /// How long the gateway waits for an answer, as far as known.
    let patience: Duration
  }

  /// Looks at the loop's time from `now` on.
  mutating func watch(from now: Instant, startsByPlan: Bool, process: Int, patience: Duration = .zero) {
    watch = Watch(
      nextBeat: now + LoopAbsences.period, startsByPlan: startsByPlan, process: process, patience: patience)
    result.lateness = StormResult.Lateness()
  }

  /// Looks at the loop's time. Returns when to look again; nil where nobody looks.
  @discardableResult
  mutating func beat(at now: Instant) -> Instant? {
    guard let due = watch?.nextBeat else { return nil }
    guard now >= due else { return due }
    watch?.nextBeat = now + LoopAbsences.period
    guard now - due >= LoopAbsences.least else {
      result.lateness?.late.record(now - due)
      return watch?.nextBeat
    }
    watch?.absences.add(due: due, at: now)
    watch?.lateStarts.add(due: due, at: now)
    // An absence counts as often as the loop would have looked meanwhile, or one of a minute would weigh as little as a turn.
    let late = now - due
    let beats = min(Self.beatsMax, late.nanoseconds / LoopAbsences.period.nanoseconds)
    for beat in 0...beats {
      result.lateness?.late.record(late - .nanoseconds(LoopAbsences.period.nanoseconds * beat))
    }
    result.lateness?.note(
      .init(at: max(0, (due - start).inSeconds), length: late.inSeconds, process: watch?.process ?? 0))
    return watch?.nextBeat
  }

  private static let beatsMax: Int64 = 10_000

  /// Counts an end as one that may be the storm's own doing, if its loop was absent for a quarter of the time that the gateway
  /// waits for an answer.
  mutating func blameItself(_ counts: [WritableKeyPath<StormResult.Lateness, Int?>], at now: Instant) {
    beat(at: now)
    guard let watch else { return }
    let told = result.seen.longestTimeout.map { Duration.seconds($0) } ?? watch.patience
    let patience = told > .zero ? told : Self.usualPatience
    guard watch.absences.overlap(from: now - patience, until: now) >= patience.scaled(by: 0.25) else { return }
    guard var lateness = result.lateness else { return }
    for count in counts { lateness[keyPath: count] = (lateness[keyPath: count] ?? 0) + 1 }
    result.lateness = lateness
  }

  /// How long a gateway usually waits for a login or a pong.
  private static let usualPatience = Duration.seconds(10)

  /// A client whose turn was at `due` begins.
  mutating func begins(due: Instant, at now: Instant) {
    guard watch != nil else { return }
    watch?.lateStarts.add(due: due, at: now)
    result.lateness?.late.record(now - due)
  }

  /// Returns a latency that ends now, counted from when it may have begun; without the loop's own absences it is counted
  /// beside that. Called before it is recorded.
  ///
  /// - Parameter startsByPlan: Whether it began at a time of the plan; else with a message, which may have lain unread.
  mutating func timed(
    _ kind: StormResult.Timed?, _ duration: Duration, at now: Instant, startsByPlan: Bool = false
  ) -> Duration {
    beat(at: now)
    guard let watch else { return duration }
    let began = now - max(.zero, duration)
    let spans = startsByPlan ? watch.lateStarts : watch.absences
    let earliest = startsByPlan ? began : spans.earliestArrival(ofReadAt: began)
    let (most, least) = (now - earliest, max(.zero, duration) - spans.overlap(from: began, until: now))
    guard let kind else { return most }
    if most != least, result.lateness?.least[kind] == nil {
      let measured = kind.measured(result)
      result.lateness?.least[kind] = measured
    }
    result.lateness?.least[kind]?.record(least)
    return most
  }
}
