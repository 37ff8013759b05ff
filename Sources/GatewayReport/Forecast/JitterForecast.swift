internal import GatewayCore
package import GatewayFleet

/// A forecast of the effect that jitter in the tokens' lives would have had on a storm, from the wave that was seen.
/// With 10 % jitter, the provider's peak might have been 34 calls a second instead of 2,480.
///
/// The provider is modelled as one queue that gives tokens at the rate measured during the wave.
package struct JitterForecast: Hashable, Sendable, Encodable {
  /// The forecast for one jitter.
  package struct Row: Hashable, Sendable, Encodable {
    /// The jitter as a share of the tokens' life.
    package let jitter: Double
    /// The time in seconds over which the refreshes would have been requested.
    package let overS: Double
    /// The maximum number of requests to the provider in any one second.
    package let providerPeak: Int
    /// The 99th percentile of the wait for a token, in seconds.
    package let p99WaitS: Double
    /// The share of all tokens that would have come after the gateway's timeout.
    package let lateShare: Double
  }

  /// The number of refreshes in one wave.
  package let refreshes: Int
  /// Tokens per second in the densest half of the wave.
  package let serviceRate: Double
  /// The time for a token without a queue, in seconds: the fastest that was seen.
  package let fastestS: Double
  /// The jitter above which refreshes come no faster than they are served; absent if no jitter is enough.
  package private(set) var enough: Double?
  package private(set) var rows: [Row] = []
  private let wave: Wave
  package let assumptions = [
    "the provider gives tokens at the rate that was measured in the densest half of the wave, whoever waits",
    "every client asks once, when its own token expires, and nobody gives up; expiries are spread evenly",
    "the gateway's own time is left out",
  ]

  private enum CodingKeys: String, CodingKey {
    case refreshes, serviceRate, fastestS, enough, rows, assumptions
  }

  /// The jitters that are tried if the storm's own was less.
  private static let tried = [0.01, 0.02, 0.05, 0.1, 0.2]

  /// Creates the forecast. Nil if the wave shows no rate: each token expired by itself, clients came back after waits
  /// of their own, or no provider gave them tokens.
  package init?(_ plan: StormPlan, _ result: StormResult) {
    let bins = result.bins
    // In a wave every client asks once, so counts of another process are not needed.
    let refreshes = min(result.provider.refreshRounds / max(1, plan.waves), plan.clients)
    let half = bins.providerGrants.total / max(1, plan.waves) / 2
    guard plan.expiry == .common, plan.comeback == .zero, !plan.reconnects, refreshes >= Self.refreshesMin,
      let fastest = result.latencies.provider.minimum, let shortest = bins.providerGrants.shortest(for: half)
    else { return nil }
    let rate = Double(half) / (Double(shortest * bins.milliseconds) / 1000)
    let spread = plan.gateway.spread.inSeconds
    let life = plan.life.inSeconds
    let timeout = result.seen.longestTimeout ?? plan.gateway.timeout.inSeconds
    self.refreshes = refreshes
    serviceRate = rate
    fastestS = fastest.inSeconds
    let needed = max(0, Double(refreshes) / rate - spread) / life
    enough = needed <= 1 ? needed : nil
    wave = Wave(seed: plan.seed, spread: spread, life: life, timeout: timeout)
    rows = Self.tried.filter { $0 > plan.jitter }.map(row)
  }

  /// The minimum number of refreshes that shows a rate.
  private static let refreshesMin = 20

  /// Returns the share of the refreshes that would have come too late with that jitter.
  package func lateShare(jitter: Double) -> Double { row(jitter).lateShare }

  /// Returns the forecast adjusted to a simulation, which includes clients that ask again. A jitter that loses clients
  /// in the simulation must not count as enough here.
  func agreeing(with advice: ReportAdvice) -> JitterForecast {
    var forecast = self
    forecast.enough = advice.jitter.flatMap { least in enough.map { max($0, least) } }
    let least = advice.jitter ?? .infinity
    forecast.rows = rows.filter { $0.lateShare > 0 || $0.jitter >= least }
    return forecast
  }

  private func row(_ jitter: Double) -> Row {
    var generator = SeededGenerator(seed: wave.seed)
    let asked = (0..<refreshes).map { _ in
      generator.nextShare() * wave.spread + generator.nextShare() * jitter * wave.life
    }.sorted()
    return Row(jitter, over: wave.spread + jitter * wave.life, asked, serviceRate, fastestS, wave.timeout)
  }

  /// The other parameters of a plan's wave, times in seconds.
  private struct Wave: Hashable, Sendable {
    let seed: UInt64
    let spread: Double
    let life: Double
    let timeout: Double
  }
}

extension JitterForecast.Row {
  /// Simulates one wave.
  ///
  /// - Parameter asked: The time of each client's request, in order, in seconds.
  fileprivate init(
    _ jitter: Double, over: Double, _ asked: [Double], _ rate: Double, _ fastest: Double, _ timeout: Double
  ) {
    var last = -Double.infinity
    var waits: [Double] = []
    waits.reserveCapacity(asked.count)
    var first = 0
    var peak = 0
    for (index, time) in asked.enumerated() {
      last = max(time + fastest, last + 1 / rate)
      waits.append(last - time)
      while asked[first] <= time - 1 { first += 1 }
      peak = max(peak, index - first + 1)
    }
    waits.sort()
    self.jitter = jitter
    overS = over
    providerPeak = peak
    p99WaitS = waits[min(waits.count - 1, Int(Double(waits.count) * 0.99))]
    lateShare = Double(waits.count { $0 > timeout }) / Double(waits.count)
  }
}
