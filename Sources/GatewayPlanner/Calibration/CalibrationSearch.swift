internal import GatewayCore
internal import GatewayFleet

/// A search for the provider whose simulation is nearest to storms of a token endpoint.
///
/// It begins with what the figures say by themselves: the rate of the densest stretch, the fastest call, the calls that
/// the endpoint held at once. It then changes one of them after the other while that brings the simulation nearer.
package struct CalibrationSearch: Sendable {
  private let storms: [StormEvidence]
  private let threads: Int
  private let report: @Sendable (Int) -> Void

  /// The longest search, in rounds in which every number is changed once.
  private static let roundsMax = 8
  /// The distance, as a share, by which a provider may be worse and still explain the storms as well.
  private static let asGood = (factor: 1.3, more: 0.02)

  /// Prepares a search.
  ///
  /// - Parameters:
  ///   - storms: At least one storm, none with a ``StormEvidence/gap``.
  ///   - threads: The number of worlds that run at once.
  ///   - report: Called with the number of worlds that have run.
  package init(_ storms: [StormEvidence], threads: Int, report: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.storms = storms
    self.threads = threads
    self.report = report
  }

  /// A provider on trial.
  struct Candidate: Hashable, Sendable {
    var rate: Double
    var places: Int
    var fastest: Duration
    /// The maximum of waiting calls; nil for no limit.
    var queue: Int?
    var failures: Double
    var advice: ProviderModel.Advice
    var abandoned = ProviderModel.Abandoned.serve

    /// The provider: calls take the fastest time to as much above the mean as that is below it.
    var model: ProviderModel {
      let mean = min(600, Double(places) / max(rate, 1e-6))
      let least = min(fastest.inSeconds, mean)
      let times = Duration.saturating(seconds: least)...(.saturating(seconds: max(least, 2 * mean - least)))
      var model = ProviderModel(.places(places, latency: times))
      queue.map { model.queue = $0 }
      model.failures = failures
      model.advice = advice
      model.abandoned = abandoned
      return model
    }
  }

  /// A candidate with the figures of its simulations.
  struct Trial: Sendable {
    let candidate: Candidate
    let figures: [[CalibratedFigure]]

    /// The largest difference.
    var distance: Double { figures.flatMap(\.self).map(\.difference).max() ?? .infinity }
    /// The mean of the squared differences: unlike the largest, it tells of two candidates which is the better.
    var error: Double {
      let all = figures.flatMap(\.self)
      guard !all.isEmpty else { return .infinity }
      return all.reduce(0) { $0 + min($1.difference, 2) * min($1.difference, 2) } / Double(all.count)
    }
  }

  /// Runs the search.
  package func run() async throws -> Calibration.Outcome {
    var worlds = 0
    func trials(_ candidates: [Candidate]) async throws -> [Trial] {
      let tried = try await Worlds.run(candidates, threads: threads) { try trial($0) }
      worlds += candidates.count * storms.count
      report(worlds)
      return tried
    }
    let start = Start(storms)
    guard start.hasWaits else { return .neverPressed(start.neverPressed) }
    guard var best = try await trials(start.candidates).min(by: { $0.error < $1.error }) else {
      return .neverPressed(start.neverPressed)
    }
    for _ in 0..<Self.roundsMax {
      var isBetter = false
      for change in Change.allCases {
        let others = change.neighbours(of: best.candidate, start)
        guard !others.isEmpty, let other = try await trials(others).min(by: { $0.error < $1.error }) else { continue }
        if other.error < best.error * 0.999 { (best, isBetter) = (other, true) }
      }
      if !isBetter { break }
    }
    guard let rates = try await rates(of: best, start, trials) else { return .neverPressed(start.neverPressed) }
    return .found(
      Calibration(
        provider: best.candidate.model, rates: rates, hasQueueLimit: best.candidate.queue != nil,
        waitedMost: max(0, start.atOnce - best.candidate.places), hasTimeOuts: start.hasTimeOuts, told: start.told,
        figures: best.figures, worlds: worlds))
  }

  /// Returns the rates that explain the storms as well, with as many places more or fewer; nil if any higher rate does.
  private func rates(
    of best: Trial, _ start: Start, _ trials: ([Candidate]) async throws -> [Trial]
  ) async throws -> ClosedRange<Double>? {
    let limit = max(best.distance * Self.asGood.factor, best.distance + Self.asGood.more)
    func explain(_ factors: [Double]) async throws -> [Double] {
      let candidates = factors.map { factor in
        var other = best.candidate
        other.rate *= factor
        // Few places cannot follow a factor; their time does then.
        other.places = max(1, Int((Double(other.places) * factor).rounded()))
        let mean = Double(best.candidate.places) / max(best.candidate.rate, 1e-6)
        if abs(Double(other.places) / other.rate / mean - 1) > 0.02 { other.places = best.candidate.places }
        return other
      }
      return try await zip(factors, trials(candidates)).filter { $1.distance <= limit }.map(\.0)
    }
    let free = try await trials(start.unlimited)
    guard start.isRefusing || start.waited(best.candidate), !free.contains(where: { $0.error <= 2 * best.error }) else {
      return nil
    }
    let least = try await explain([0.98, 0.95, 0.9, 0.8, 0.65]).min() ?? 1
    let most = try await explain([1.02, 1.05, 1.1, 1.25, 1.5]).max() ?? 1
    guard most < 1.5 else { return nil }
    // The provider's own rate, whose times are whole nanoseconds.
    let rate = best.candidate.model.rate ?? best.candidate.rate
    return rate * least...rate * most
  }

  /// Simulates the storms with a provider.
  private func trial(_ candidate: Candidate) throws -> Trial {
    let figures = try storms.map { storm in
      var settings = storm.settings
      settings.provider = candidate.model
      var world = try MachineWorld(settings)
      return CalibratedFigure.all(storm, try StormEvidence(settings.plan, world.run().result))
    }
    return Trial(candidate: candidate, figures: figures)
  }
}
