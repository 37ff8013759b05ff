internal import GatewayCore
package import GatewayFleet

/// The outcome of a storm of a token endpoint without a gateway, as evidence about the endpoint.
package struct StormEvidence: Sendable {
  package let plan: StormPlan
  package let result: StormResult
  /// The settings of a world that repeats the storm, with a provider that still has to be found.
  let settings: WorldSettings

  /// The latency of the calls that brought a token.
  let granted: LatencyHistogram
  /// Tokens in each step of ``step`` seconds.
  private let grants: StormBins.Counts
  private let step: Double

  /// Why a storm says nothing about the endpoint's capacity.
  package enum Gap: Hashable, Sendable {
    /// No call brought a token; the most frequent reason.
    case noToken(String?)
    /// The report is older than the figure that is needed.
    case isOlder
    /// The storm never had more than that many calls under way, which is its own limit.
    case heldBack(atOnce: Int)
    /// The storm never made more than that many calls a second, which is its own limit.
    case slowed(rate: Double)
    /// The storm has a feature that this simulation does not repeat.
    case notRepeated(String)
  }

  /// Reads a storm's outcome. Throws an error if the plan cannot be carried out.
  package init(_ plan: StormPlan, _ result: StormResult) throws(StormPlanError) {
    self.plan = plan
    self.result = result
    var settings = WorldSettings(
      plan: plan, provider: ProviderModel(), link: LinkModel(latency: .zero ... .zero))
    settings.isAlone = true
    // The endpoint decides how long its tokens live.
    if let life = result.tokens.longestLife { settings.plan.life = .saturating(seconds: min(max(life, 0.001), 2.6e6)) }
    settings.plan.fetchRate = nil
    if result.stopped != nil || result.ranOutOfTime || result.wasInterrupted {
      settings.duration = .saturating(seconds: min(max(result.seconds, 0.001), 2.6e6))
    }
    try settings.check()
    self.settings = settings
    granted = result.latencies.granted ?? LatencyHistogram()
    // A storm without a gateway counts a login when its token arrives.
    var grants = result.bins.logins
    grants.merge(result.bins.providerGrants)
    self.grants = grants
    step = Double(result.bins.milliseconds) / 1000
  }

  /// Why the storm cannot tell the capacity, whatever its figures; nil if it may.
  package var gap: Gap? {
    guard result.latencies.granted != nil || result.provider.granted <= 0 else { return .isOlder }
    guard granted.count > 0 else { return .noToken(result.provider.refused.sorted.first?.reason) }
    guard plan.arrivals == nil, plan.fleet == nil else { return .notRepeated("arrivals or fleets") }
    let most = plan.fetches * plan.processes
    guard result.provider.inFlightPeak < most else { return .heldBack(atOnce: most) }
    if let rate = plan.fetchRate { return .slowed(rate: rate) }
    return nil
  }

  // MARK: Figures

  /// The calls, and of these the ones that brought no token.
  var calls: Double { Double(result.provider.calls) }
  var refused: Double { result.provider.refused.counts.values.reduce(0) { $0 + Double($1) } }
  /// Calls whose answer came later than the clients waited.
  var timedOut: Double {
    Double(result.tokens.login.failed["timed_out"]) + Double(result.tokens.refresh.failed["timed_out"])
  }

  /// Returns tokens a second in the densest stretch that has that share of all tokens; nil if there are too few.
  func rate(ofShare share: Double) -> Double? {
    let number = Int(Double(grants.total) * share)
    guard number >= Self.tokensLeast, let steps = grants.shortest(for: number) else { return nil }
    return Double(number) / (Double(max(1, steps)) * step)
  }

  private static let tokensLeast = 20

  /// The most tokens a second of any stretch that is long enough to count.
  var densest: Double {
    Self.shares.compactMap { rate(ofShare: $0) }.max() ?? Double(grants.total) / max(1, min(result.seconds, 1e9))
  }

  static let shares = [0.1, 0.25, 0.5]

  /// The most calls that the endpoint held, by Little's law: the densest rate times the slowest call that brought a token.
  /// The storm's own peak is more where calls waited at the storm's side, e.g. on a busy machine.
  var heldMost: Int {
    let slowest = granted.quantile(0.99)?.inSeconds ?? 0
    return max(1, Int(min(Double(Self.callsMost), (densest * slowest).rounded())))
  }

  private static let callsMost = 1_000_000

  /// The share of the calls that bring no token while few are under way; nil if there are too few such calls.
  var failures: Double? {
    let inFlight = result.series.providerInFlight
    let quiet = Double(result.provider.inFlightPeak) / 2
    let perSecond = grantsPerSecond
    var (answers, tokens) = (0.0, 0.0)
    for (second, most) in inFlight.enumerated() where Double(most) <= quiet {
      answers += Double(result.series.providerReturns[second])
      tokens += second < perSecond.count ? perSecond[second] : 0
    }
    guard answers >= Self.answersLeast else { return nil }
    return max(0, min(1, (answers - tokens) / answers))
  }

  private static let answersLeast = 50.0

  private var grantsPerSecond: [Double] {
    var seconds: [Double] = []
    for (bin, number) in grants.perBin.enumerated() where number > 0 {
      let second = Int(Double(bin) * step)
      while seconds.count <= second { seconds.append(0) }
      seconds[second] += Double(number)
    }
    return seconds
  }
}
