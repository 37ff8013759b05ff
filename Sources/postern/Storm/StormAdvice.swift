import GatewayCore
import GatewayFleet
import GatewayPlanner
import GatewayReport

/// A search for the least change that would have kept every client of a storm, by simulations of it. It says something only where a
/// simulation of the storm as it was loses about as many as were lost.
struct StormAdvice {
  private let settings: WorldSettings
  private let lost: Double
  private let forecast: JitterForecast

  /// The most clients of a world that looks for the answer.
  private static let scale = 2000
  /// By how much of a fleet the simulated loss may differ from the real one.
  private static let differenceMax = 0.05

  /// Nil where nobody was lost, or the figures do not tell: clients came back by themselves, something was ordered of the
  /// gateway, the provider's rate is not known.
  init?(_ options: StormOptions, _ report: StormReport) {
    let (plan, result) = (report.plan, report.result)
    guard let forecast = report.forecast, !result.wasInterrupted, result.stopped == nil, options.faults.isEmpty,
      options.scenario == nil, options.dialect.habits == ClientHabits(), !options.isProviderOnly,
      let lost = result.lostShare, result.everybody.lostUnexpectedly > 0
    else { return nil }
    self.lost = lost
    self.forecast = forecast
    // The gateway's own provider tells of itself, where it is the one that was asked.
    let told = options.provider == nil && options.described == nil ? options.settings?.provider : nil
    var model = ProviderModel(.rate(forecast.serviceRate))
    if let told {
      (model.queue, model.failures) = (told.queueMax, told.failureRate)
      // The configured latency, not what was measured through a busy storm.
      let latency = Duration.nanoseconds(Int64(min(max(0, told.latencyS), 600) * 1e9))
      if let places = told.concurrency, places > 0, latency > .zero {
        model.capacity = .places(places, latency: latency...latency)
      }
    }
    var settings = WorldSettings(plan: plan, provider: model)
    // They were all connected before the wave, which alone is asked about.
    settings.isFirstTokenInHand = true
    self.settings = settings
  }

  /// The advice; nil where the simulated storm is not like the real one, or nothing would have kept everybody.
  func advice() async throws -> ReportAdvice? {
    let planner = Planner(
      settings, threads: max(1, ProcessEnvironment.cores), scale: Self.scale
    ) { result, _ in result.everybody.lostUnexpectedly == 0 }
    guard let asItWas = try await planner.compare([settings]).first?.lostShare,
      abs(asItWas - lost) <= Self.differenceMax
    else { return nil }
    if let share = try await jitter(planner) {
      return ReportAdvice(
        jitter: share, tokensPerSecond: nil,
        text:
          "with \(Figures.percent(share)) jitter nobody would have been lost; see postern simulate plan --ask jitter")
    }
    let capacity = try await planner.answer(.capacity)
    guard let rate = capacity.value?.value, capacity.proof?.passes != false else { return nil }
    return ReportAdvice(
      jitter: nil, tokensPerSecond: rate.rounded(.up),
      text: "with a provider of \(Figures.count(Int(rate.rounded(.up)))) tokens a second nobody would have been lost; "
        + "see postern simulate plan --ask capacity")
  }

  /// The least jitter, in whole percents, that keeps everybody in the simulation and that the report's own forecast finds enough.
  private func jitter(_ planner: Planner) async throws -> Double? {
    let answer = try await planner.answer(.jitter)
    guard let least = answer.value?.value, least > settings.plan.jitter, answer.proof?.passes != false else {
      return nil
    }
    let percents = Int((least * 100).rounded(.up))...100
    guard let percent = percents.first(where: { forecast.lateShare(jitter: Double($0) / 100) == 0 }) else { return nil }
    return Double(percent) / 100
  }
}
