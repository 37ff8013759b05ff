import GatewayFleet
import GatewayPlanner
import GatewayReport

/// A table of loads: the outcome for the fleet without a disturbance, and behind a full queue.
struct HysteresisText {
  let answer: HysteresisSearch.Answer
  let settings: WorldSettings

  var lines: [String] {
    let head = ["load", "renewals a second", "by itself", "behind a full queue"]
    let rows = answer.rows.map { row in
      [
        Figures.percent(row.load), Figures.decimal(row.renewals, places: 1), Self.text(row.calm, "is calm"),
        Self.text(row.behind, "recovers after"),
      ]
    }
    return [sentence] + TextTable.columns([head] + rows) + ["  \(Figures.count(answer.worlds)) worlds"]
  }

  private var sentence: String {
    let queue = "a queue of \(Figures.count(settings.provider.queue))"
    guard let band = answer.band else {
      return "hysteresis: none: behind \(queue) it recovers at every load at which it is calm by itself"
    }
    return
      "hysteresis: from \(Figures.percent(band.lowerBound)) to \(Figures.percent(band.upperBound)) of the capacity an "
      + "incident stays: the fleet is calm by itself, and stays down behind \(queue)"
  }

  private static func text(_ probe: TriggerSearch.Probe, _ words: String) -> String {
    let times = probe.recoveries
    guard probe.allRecover else {
      let state = probe.count(.staysDown) > 0 ? "stays down" : "loses clients"
      let (failing, all) = (probe.outcomes.count - times.count, probe.outcomes.count)
      return failing == all ? state : "\(state) with \(failing) of \(all) seeds"
    }
    guard probe.size > 0, let most = times.last else { return words }
    return "\(words) \(Figures.seconds(most))"
  }
}
