internal import GatewayCore

// The loop's own lateness, and its part in a latency.

extension Ledger {
  /// The absences of the loop: those seen by its heartbeat, and those seen by late starts of clients.
  struct Watch {
    var absences = LoopAbsences()
    var lateStarts = LoopAbsences()
    /// The time at which the heartbeat is due.
    var nextBeat: Instant
    /// Whether a first login waits for nothing: its token is available, and it begins at the plan's time.
    let startsByPlan: Bool
    let process: Int
    /// How long the gateway waits for an answer, as far as known.
    let patience: Duration
  }

  /// Watches the loop's lateness from `now` on.
  mutating func watch(from now: Instant, startsByPlan: Bool, process: Int, patience: Duration = .zero) {
    watch = Watch(
      nextBeat: now + LoopAbsences.period, startsByPlan: startsByPlan, process: process, patience: patience)
    result.lateness = StormResult.Lateness()
  }

  /// Records the loop's lateness. Returns the time of the next check; nil if the loop is not watched.
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
    // An absence counts as often as the loop would have checked during it. Otherwise one minute would weigh no more
    // than one turn.
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

  /// Counts an end that the storm itself may have caused: its loop was absent for a quarter of the time that the
  /// gateway waits for an answer.
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

  /// Records the start of a client that was due at `due`.
  mutating func begins(due: Instant, at now: Instant) {
    guard watch != nil else { return }
    watch?.lateStarts.add(due: due, at: now)
    result.lateness?.late.record(now - due)
  }

  /// Returns a latency that ends now, counted from its earliest possible beginning. Records it without the loop's own
  /// absences separately. The caller records the result afterwards.
  ///
  /// - Parameter startsByPlan: Whether it began at a time of the plan; otherwise it began with a message, which may
  ///   have waited unread.
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
