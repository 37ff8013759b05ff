import GatewayCore
import GatewayFleet
import GatewayPlanner
import GatewayReport

/// A search by simulation for the least change that would have kept every client of a storm.
///
/// It gives advice only if a simulation of the actual storm loses about as many clients.
struct StormAdvice {
  private let settings: WorldSettings
  private let lost: Double
  private let forecast: JitterForecast

  /// The maximum number of clients in the worlds that find the answer.
  private static let scale = 2000
  /// The maximum difference of the simulated loss from the real one, as a share of the fleet.
  private static let differenceMax = 0.05

  /// Prepares the search. Nil if no client was lost, or if the figures do not suffice: clients reconnected by themselves, the
  /// gateway was given orders, or the provider's rate is unknown.
  init?(_ options: StormOptions, _ report: StormReport) {
    let (plan, result) = (report.plan, report.result)
    guard let forecast = report.forecast, !result.wasInterrupted, result.stopped == nil, options.faults.isEmpty,
      options.scenario == nil, options.dialect.habits == ClientHabits(), !options.isProviderOnly,
      let lost = result.lostShare, result.everybody.lostUnexpectedly > 0
    else { return nil }
    self.lost = lost
    self.forecast = forecast
    // The settings of the gateway's own provider, if the storm used it.
    let told = options.provider == nil && options.described == nil ? options.settings?.provider : nil
    var model = ProviderModel(.rate(forecast.serviceRate))
    if let told {
      (model.queue, model.failures) = (told.queueMax, told.failureRate)
      // The configured capacity is better than the measured one, which a busy storm may have reduced.
      let latency = Duration.nanoseconds(Int64(min(max(0, told.latencyS), 600) * 1e9))
      if let places = told.concurrency, places > 0, latency > .zero {
        model.capacity = .places(places, latency: latency...latency)
      }
    }
    var settings = WorldSettings(plan: plan, provider: model)
    // All clients were connected before the wave, and only the wave is simulated.
    settings.isFirstTokenInHand = true
    self.settings = settings
  }

  /// Returns the advice; nil if the simulated storm differs from the real one, or no change would have kept all clients.
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

  /// Returns the least jitter in whole percents that keeps all clients, both in the simulation and in the report's own
  /// forecast.
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
