import GatewayFleet
import GatewayPlanner

extension PlanReport {
  /// The outcomes of the fleet after the file's own disturbance, over all seeds.
  struct Own: Encodable {
    let seeds: Int
    let recovered: Int
    let lostClients: Int
    let stayedDown: Int
    /// The bounds of the share of seeds with which it stays down (Wilson, 95 %).
    let stayedDownLeast: Double
    let stayedDownMost: Double
    /// Percentiles of the time to recover, in seconds.
    let recoveredAfterP50: Double?
    let recoveredAfterP90: Double?
    let recoveredAfterP99: Double?
    let recoveredAfterMost: Double?

    init(_ own: VerdictSearch.Own) {
      seeds = own.outcomes.count
      recovered = own.recoveries.count
      lostClients = own.losing
      stayedDown = own.never.count
      (stayedDownLeast, stayedDownMost) = (own.never.interval.lowerBound, own.never.interval.upperBound)
      recoveredAfterP50 = own.percentile(0.5)
      recoveredAfterP90 = own.percentile(0.9)
      recoveredAfterP99 = own.percentile(0.99)
      recoveredAfterMost = own.recoveries.last
    }
  }

  /// The loop that keeps a fleet down.
  struct SustainedBy: Encodable {
    /// The loop; nil if the fleet recovers by itself, or if more than one loop keeps it down.
    var loop: String?
    /// When the fleet recovers by itself, too late, in seconds; nil if it does not.
    var recoversAfterS: Double?

    init?(_ sustained: Sustained?) {
      switch sustained {
      case nil: return nil
      case .slow(let after): recoversAfterS = after
      case .by(let loop): self.loop = loop.rawValue
      case .byMoreThanOne: break
      }
    }
  }

  /// A load, and the outcome for the fleet by itself and behind a full queue.
  struct Load: Encodable {
    let load: Double
    let renewalsPerSecond: Double
    let calm: Push
    let behindQueue: Push

    init(_ row: HysteresisSearch.Row) {
      load = row.load
      renewalsPerSecond = row.renewals
      calm = Push(row.calm)
      behindQueue = Push(row.behind)
    }
  }
}
