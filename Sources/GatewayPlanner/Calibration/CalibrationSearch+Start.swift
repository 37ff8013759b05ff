internal import GatewayCore
internal import GatewayFleet

extension CalibrationSearch {
  /// What the figures of the storms say without a simulation.
  struct Start: Sendable {
    let rate: Double
    let fastest: Duration
    let slowest: Duration
    let half: Duration
    /// The most calls that the endpoint held at once.
    let atOnce: Int
    let failures: Double
    /// Whether more calls brought no token than fail while few are under way.
    let isRefusing: Bool
    let hasTimeOuts: Bool
    let told: ToldWaits?
    let neverPressed: Calibration.NeverPressed

    /// More places than a storm has calls.
    static let unlimited = 1_000_000

    /// Returns whether so many calls waited for the provider's places that it cannot be a busy machine's doing.
    func waited(_ candidate: Candidate) -> Bool {
      let mean = Double(candidate.places) / max(candidate.rate, 1e-6)
      return atOnce - candidate.places >= max(4, candidate.places / 2) && slowest.inSeconds >= 1.5 * mean
    }

    /// Providers without a limit, whose calls take as long as those of the storms.
    var unlimited: [Candidate] {
      [half.scaled(by: 2) - fastest, half, slowest].map { most in
        let mean = (fastest + max(fastest, most)).scaled(by: 0.5).inSeconds
        return Candidate(
          rate: Double(Self.unlimited) / max(mean, 1e-6), places: Self.unlimited, fastest: fastest, queue: nil,
          failures: failures, advice: advice)
      }
    }

    init(_ storms: [StormEvidence]) {
      rate = max(1e-3, storms.map(\.densest).max() ?? 1)
      fastest = max(.microseconds(1), storms.compactMap(\.granted.minimum).min() ?? .zero)
      slowest = storms.compactMap { $0.granted.quantile(0.99) }.max() ?? .zero
      half = storms.compactMap { $0.granted.quantile(0.5) }.max() ?? .zero
      atOnce = storms.map(\.heldMost).max() ?? 1
      hasTimeOuts = storms.contains { $0.timedOut > 0 }
      let refused = storms.reduce(0) { $0 + $1.refused - $1.timedOut }
      let calls = max(1, storms.reduce(0) { $0 + $1.calls })
      // Without a quiet time nobody knows; a queue that is full is the usual reason then.
      let quiet = storms.compactMap(\.failures).max() ?? 0
      let chance = 3 * (quiet * calls).squareRoot() + 2
      isRefusing = refused > quiet * calls + chance
      failures = isRefusing ? (quiet > 0.005 ? quiet : 0) : max(0, min(1, refused / calls))
      told = storms.compactMap(\.result.tokens.told).reduce(nil) { $0?.merged($1) ?? $1 }
      neverPressed = .init(fastest: fastest, slowest: slowest, rate: rate)
    }

    /// Whether any call took so much longer than another that it may have waited.
    var hasWaits: Bool { isRefusing || slowest > fastest.scaled(by: 1.5) + .milliseconds(2) }

    /// The `Retry-After` of refusals as the clients read it.
    var advice: ProviderModel.Advice {
      guard let told, let least = told.leastS, let most = told.mostS, told.given >= told.missing else { return .none }
      let bounds = (min(max(0, least), 86_400), min(max(0, most), 86_400))
      return .between(.saturating(seconds: bounds.0)...(.saturating(seconds: max(bounds.0, bounds.1))))
    }

    /// Providers of the rate that was seen: with few places that are fast, up to many that are slow.
    var candidates: [Candidate] {
      var places: Set<Int> = []
      let least = max(1, rate * fastest.inSeconds * 0.8)
      let most = max(least, min(Double(atOnce), rate * half.inSeconds * 1.2))
      var next = least
      while next <= most, places.count < 24, next < Double(Self.unlimited) {
        places.formUnion([Int(next), Int(next) + 1])
        next = max(next + 1, next * 1.25)
      }
      if places.isEmpty { places = [1] }
      return places.sorted().flatMap { places in
        [1, 1.04].map { factor in
          Candidate(
            rate: rate * factor, places: places, fastest: fastest,
            queue: isRefusing ? max(0, atOnce - places) : nil, failures: failures, advice: advice)
        }
      }
    }
  }

  /// A number of a candidate that is changed.
  enum Change: CaseIterable {
    case rate
    case places
    case both
    case queue
    case failures
    case abandoned

    private static let factors = [0.9, 0.96, 0.985, 0.995, 1.005, 1.015, 1.04, 1.1, 1.25]

    /// Returns the candidates that differ in this number.
    func neighbours(of candidate: Candidate, _ start: Start) -> [Candidate] {
      var others: [Candidate] = []
      func add(_ change: (inout Candidate) -> Void) {
        var other = candidate
        change(&other)
        if other != candidate, !others.contains(other) { others.append(other) }
      }
      func scaled(_ number: Int, _ factor: Double) -> Int {
        let value = (Double(number) * factor).rounded()
        return max(
          1, Int(min(value == Double(number) ? value + (factor > 1 ? 1 : -1) : value, Double(Start.unlimited))))
      }
      switch self {
      case .rate: for factor in Self.factors { add { $0.rate *= factor } }
      case .places: for factor in Self.factors { add { $0.places = scaled($0.places, factor) } }
      case .both:
        for factor in Self.factors {
          add {
            let mean = Double($0.places) / $0.rate
            $0.places = scaled($0.places, factor)
            $0.rate = Double($0.places) / mean
          }
        }
      case .queue:
        guard let queue = candidate.queue else { break }
        for factor in Self.factors { add { $0.queue = scaled(queue, factor) } }
      case .failures where candidate.failures > 0:
        for factor in Self.factors { add { $0.failures = min(1, $0.failures * factor) } }
      case .failures: break
      case .abandoned where start.hasTimeOuts:
        add { $0.abandoned = $0.abandoned == .serve ? .drop : .serve }
      case .abandoned: break
      }
      return others
    }
  }
}
