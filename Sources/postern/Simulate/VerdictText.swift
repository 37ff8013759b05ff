import GatewayFleet
import GatewayPlanner
import GatewayReport

/// The stability of a fleet in a sentence, with the loop that keeps it down and the time to recover.
struct VerdictText {
  let answer: VerdictSearch.Answer
  let settings: WorldSettings
  /// How long the fleet may take to recover, in seconds.
  let within: Double

  var lines: [String] {
    let pushed = answer.rest.map { TriggerText(answer: $0, settings: settings, within: within) }
    let table = answer.sustained == nil ? pushed?.table ?? [] : []
    let known = [sustained].compactMap { $0 } + recoveries + [pushed?.rest].compactMap { $0 }
    return ["verdict: \(sentence)"] + known + table + ["  \(Figures.count(answer.worlds)) worlds"]
  }

  private var limit: String { Figures.seconds(within) }

  private var sentence: String {
    let name = answer.verdict.rawValue
    switch (answer.verdict, answer.own) {
    case (.overloaded, _):
      return "\(name): the fleet is not calm even if nothing disturbs it; it needs more provider, no cure"
    case (.metastable, let own?):
      return "\(name): it stays down after its own disturbance with \(Self.text(own.never)), and is calm without it"
    case (.vulnerable, let own?) where own.never.count > 0:
      return "\(name): it recovers from its own disturbance by itself, but not within \(limit)"
    case (.vulnerable, let own?) where own.losing > 0:
      return
        "\(name): its own disturbance loses clients that do not come back, with \(own.losing) of \(own.outcomes.count) "
        + "seeds; the provider is calm after it"
    case (_, nil):
      let pushed = answer.rest.map { TriggerText(answer: $0, settings: settings, within: within).sentence }
      return pushed ?? name
    case (.vulnerable, _):
      let pushed = answer.rest.map { TriggerText(answer: $0, settings: settings, within: within).push } ?? ""
      return "\(name): it recovers within \(limit) of its own disturbance, but \(pushed)"
    case (_, .some):
      return "\(name): it recovers within \(limit) of its own disturbance and of every push that was tried"
    }
  }

  private var sustained: String? {
    switch answer.sustained {
    case nil: nil
    case .slow(let after): "  nothing keeps it down: it recovers after \(Figures.seconds(after))"
    case .by(let loop): "  sustained by \(loop.rawValue): \(loop.cure), a minute after the disturbance, it recovers"
    case .byMoreThanOne: "  sustained by more than one loop: the cut of none alone lets it recover"
    }
  }

  private var recoveries: [String] {
    guard let own = answer.own else { return [] }
    let never = "never within \(limit): \(Self.text(own.never))"
    guard let half = own.percentile(0.5), let most = own.recoveries.last else { return ["  \(never)"] }
    let shares = [half, own.percentile(0.9) ?? most, own.percentile(0.99) ?? most, most].map { Figures.seconds($0) }
    return ["  recovered after \(shares.joined(separator: " / ")) (p50 / p90 / p99 / most); \(never)"]
  }

  /// Returns a share of seeds with its bounds, e.g. `3 of 200 seeds (0.51 to 4.31 %)`.
  static func text(_ share: SeedShare) -> String {
    let bounds = share.interval
    return
      "\(Figures.count(share.count)) of \(Figures.count(share.of)) seeds (\(Figures.percent(bounds.lowerBound)) to "
      + "\(Figures.percent(bounds.upperBound)))"
  }
}
