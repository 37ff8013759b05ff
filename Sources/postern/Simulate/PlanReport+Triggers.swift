import GatewayFleet
import GatewayPlanner

extension PlanReport {
  /// The least push of one kind that tips the fleet.
  struct Trigger: Encodable {
    let kind: String
    let tips: Push?
    let recovers: Push?
    /// The loop that keeps the fleet down after the least push that tips it.
    let sustainedBy: SustainedBy?
    /// The size by calculation; nil if there is none.
    let byCalculation: Double?
    /// Whether the seeds disagree on either side of the edge.
    let isChance: Bool

    init(_ row: TriggerSearch.Row) {
      kind = row.kind.rawValue
      tips = row.tips.map { Push($0) }
      recovers = row.recovers.map { Push($0) }
      sustainedBy = SustainedBy(row.sustained)
      byCalculation = row.form
      isChance = row.isChance
    }
  }

  /// One size of a push, and the outcome for the fleet.
  struct Push: Encodable {
    /// Seconds of an outage, a share of everything else.
    let size: Double
    let seeds: Int
    let recovered: Int
    let lostClients: Int
    let stayedDown: Int
    /// The times after which the fleet recovered, in order.
    let recoveredAfterS: [Double]

    init(_ probe: TriggerSearch.Probe) {
      size = probe.size
      seeds = probe.outcomes.count
      recovered = probe.recoveries.count
      lostClients = probe.count(.losesClients)
      stayedDown = probe.count(.staysDown)
      recoveredAfterS = probe.recoveries
    }
  }
}
