import GatewayFleet
import GatewayPlanner
import GatewayReport

/// A table of the pushes: the least size of each that tips the fleet.
struct TriggerText {
  let answer: TriggerSearch.Answer
  let settings: WorldSettings
  /// How long the fleet may take to recover, in seconds.
  let within: Double

  var lines: [String] { ["verdict: \(sentence)", rest] + table + ["  \(Figures.count(answer.worlds)) worlds"] }

  /// The least push of each kind; nothing if none was tried.
  var table: [String] {
    let rows = answer.rows.map { row in
      [
        row.kind.rawValue, row.tips.map { Self.short($0.size, row.kind) } ?? "nothing tips it",
        row.tips.map(Self.outcome) ?? "", row.sustained.map(Self.words) ?? "",
        row.recovers.map { Self.short($0.size, row.kind) } ?? "nothing tried",
        row.recovers.map(Self.recovery) ?? "", row.form.map { Self.short($0, row.kind) } ?? "–",
      ]
    }
    guard !rows.isEmpty else { return [] }
    let chance = answer.rows.filter(\.isChance).map(\.kind.rawValue)
    let note =
      chance.isEmpty
      ? [] : ["  near the edge it is chance: \(chance.joined(separator: ", ")); the counts of seeds say how much"]
    let head = ["", "tips it at", "then", "by", "recovers at", "after, p50 / most", "by calculation"]
    return TextTable.columns([head] + rows) + note
  }

  /// The stability of the fleet, by its recoveries from pushes.
  var sentence: String {
    switch answer.verdict {
    case .stable: "stable: it recovers within \(Figures.seconds(within)) of every push that was tried"
    case .vulnerable: "vulnerable: \(push)"
    case .metastable, .overloaded:
      "overloaded: the fleet is not calm even if nothing disturbs it; it needs more provider, no cure"
    }
  }

  /// The first push that tips the fleet.
  var push: String {
    guard let row = answer.rows.first(where: { $0.tips != nil }), let tips = row.tips else { return "" }
    let failing = tips.outcomes.count - tips.recoveries.count
    let seeds = tips.recoveries.isEmpty ? "" : " with \(failing) of \(tips.outcomes.count) seeds"
    return
      "\(row.kind.noun) of \(Self.size(tips.size, row.kind)) is enough\(seeds), and it does not recover within "
      + Figures.seconds(within)
  }

  var rest: String {
    let asks = Figures.decimal(settings.restingRate, places: 1)
    let load = settings.provider.rate.map { ", \(Figures.percent(settings.restingRate / $0)) of the provider" } ?? ""
    return
      "  at rest: \(Figures.count(settings.plan.clients)) clients whose tokens end evenly, \(asks) renewals a second\(load)"
  }

  private static func words(_ sustained: Sustained) -> String {
    switch sustained {
    case .slow(let after): "is slow: \(Figures.seconds(after))"
    case .by(let loop): loop.rawValue
    case .byMoreThanOne: "more than one loop"
    }
  }

  private static func short(_ size: Double, _ kind: Disturbance.Kind) -> String {
    kind == .outage ? "\(Figures.decimal(size, places: 1)) s" : Figures.percent(size)
  }

  private static func size(_ size: Double, _ kind: Disturbance.Kind) -> String {
    let whole =
      switch kind {
      case .outage: ""
      case .herd: " of the tokens"
      case .restart: " of the connections"
      case .slow: " of the capacity"
      case .lost: " of the answers"
      case .backlog: " of the queue"
      }
    return short(size, kind) + whole
  }

  private static func outcome(_ probe: TriggerSearch.Probe) -> String {
    let (down, losing) = (probe.count(.staysDown), probe.count(.losesClients))
    let words = [(down, "stays down"), (losing, "loses clients")].filter { $0.0 > 0 }.map { count, words in
      count == probe.outcomes.count ? words : "\(words) with \(count) of \(probe.outcomes.count) seeds"
    }
    return words.joined(separator: ", ")
  }

  private static func recovery(_ probe: TriggerSearch.Probe) -> String {
    let times = probe.recoveries
    guard let most = times.last else { return "–" }
    let share = probe.allRecover ? "" : ", \(times.count) of \(probe.outcomes.count) seeds"
    return "\(Figures.seconds(times[(times.count - 1) / 2])) / \(Figures.seconds(most))\(share)"
  }
}

extension Disturbance.Kind {
  fileprivate var noun: String {
    switch self {
    case .outage: "an outage"
    case .herd: "a herd"
    case .restart: "a restart"
    case .slow: "a slow minute"
    case .lost: "a loss"
    case .backlog: "a backlog"
    }
  }
}
