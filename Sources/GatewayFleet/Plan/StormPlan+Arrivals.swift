internal import GatewayCore

// Clients that come and go.

extension StormPlan {
  /// The number of clients that come, in the whole storm.
  package var people: Int { arrivals == nil ? clients : pacer.count }

  /// How often each client must be refreshed. Clients that come and go are only not to be lost.
  package var wavesWanted: Int { arrivals == nil ? waves : 0 }

  /// Returns how long client number `index` stays after its first login; nil for to the end.
  package func stay(of index: Int) -> Duration? {
    guard let stays = arrivals?.stays else { return nil }
    var chance = person(index)
    return .saturating(seconds: stays.length(&chance))
  }

  /// Returns the life of the tokens of client number `index`, which keeps it.
  package func life(of index: Int) -> Duration {
    guard let lives, !lives.isEmpty else { return life }
    var chance = person(index)
    chance = SeededGenerator(seed: chance.next() ^ 0x6C69_7665_7321_2121)
    return .saturating(seconds: lives[ShareUpTo.index(of: chance.nextShare(), in: lives)].seconds)
  }

  /// Returns the chance that decides who client number `index` is. It depends on the seed alone, and on nothing that
  /// happens.
  private func person(_ index: Int) -> SeededGenerator {
    var seeds = SeededGenerator(seed: seed ^ 0x7065_6F70_6C65_2121 ^ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
    return SeededGenerator(seed: seeds.next())
  }

  /// Throws an error if the arrivals or the lives are impossible.
  ///
  /// - Parameter clientsMax: The maximum number of clients that come.
  func checkArrivals(_ clientsMax: Int) throws(StormPlanError) {
    func require(_ condition: Bool, _ message: String) throws(StormPlanError) {
      guard condition else { throw StormPlanError(message) }
    }
    func areSteps(_ steps: [ShareUpTo]) -> Bool {
      (1...OpenArrivals.pointsMax).contains(steps.count)
        && steps.allSatisfy { $0.seconds > 0 && $0.seconds <= 1e9 && $0.share >= 0 && $0.share <= 1e9 }
        && zip(steps, steps.dropFirst()).allSatisfy { $0.seconds < $1.seconds }
        && steps.contains { $0.share > 0 }
    }
    if let lives { try require(areSteps(lives), "lives must be ascending, above 0 s, and have shares, not all 0") }
    guard let arrivals else { return }
    try require(
      expiry == .own, "clients that arrive by a rate have tokens that end each by itself: expiry own, not common")
    let points = arrivals.points
    try require(
      (1...OpenArrivals.pointsMax).contains(points.count) && points.allSatisfy { $0.at >= 0 && $0.at <= 1e9 }
        && zip(points, points.dropFirst()).allSatisfy { $0.at <= $1.at },
      "arrivals must be 1 to \(OpenArrivals.pointsMax) points of ascending times")
    try require(
      points.allSatisfy { $0.rate >= 0 && $0.rate <= Double(clientsMax) }, "rates must be 0 to \(clientsMax) a second")
    try require(
      arrivals.length > 0 && arrivals.length <= 2_592_000, "a storm of arrivals lasts longer than 0 s, at most 30 days")
    switch arrivals.stays {
    case .fixed(let seconds)?, .exponential(let seconds)?:
      try require(seconds > 0 && seconds <= 1e9, "clients must stay longer than 0 s")
    case .steps(let steps)?:
      try require(areSteps(steps), "stays must be ascending, above 0 s, and have shares, not all 0")
    case nil: break
    }
    let expected = ArrivalPacer.expected(arrivals)
    try require(
      expected > 0 && expected <= Double(clientsMax),
      "the arrivals come to \(expected.isFinite ? Int(min(expected, 1e15)) : 0) clients; at least 1 and at most \(clientsMax) are allowed"
    )
  }
}
