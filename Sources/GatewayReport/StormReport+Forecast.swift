internal import GatewayCore
import GatewayFleet

extension StormReport {
  /// A row for each forecast jitter, with the storm's own first; none if there is no forecast.
  var forecastRows: [[String]] {
    guard let forecast else { return [] }
    let seen = [
      "as it was", "jitter \(Figures.percent(plan.jitter))", "peak \(figure("provider.refresh_peak"))/s",
      "refresh p99 \(figure("refresh.p99"))", "",
    ]
    return [seen]
      + forecast.rows.map { row in
        [
          "over \(Figures.seconds(row.overS))", "jitter \(Figures.percent(row.jitter))",
          "peak \(Figures.count(row.providerPeak))/s", "wait p99 \(Figures.seconds(row.p99WaitS))",
          row.lateShare > 0 ? "\(Figures.percent(row.lateShare)) too late" : "",
        ]
      }
  }

  /// The assumptions and inputs of the forecast, in sentences.
  var forecastNotes: [String] {
    guard let forecast else { return [] }
    let rate = Figures.decimal(forecast.serviceRate, places: 0)
    let enough =
      forecast.enough.map { "from a jitter of about \(Figures.percent($0)) on nobody waits for others" }
      ?? "no jitter is enough for nobody to wait"
    return (advice.map { [$0.text] } ?? []) + [
      "\(Figures.count(forecast.refreshes)) refreshes, \(rate) tokens a second as measured: \(enough)",
      "assumed: " + forecast.assumptions.joined(separator: "; "),
    ]
  }
}
