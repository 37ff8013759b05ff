internal import GatewayCore
internal import GatewayFleet

/// A number of a scenario that is asked for.
package enum Question: String, Hashable, Sendable, CaseIterable {
  /// How many tokens a second the provider must make at the least.
  case capacity
  /// How many clients it bears.
  case clients
  /// The least share of the tokens' life that expiries must be scattered over.
  case jitter
  /// The least lead and spread of the gateway, and its least timeout, in seconds.
  case lead
  case spread
  case timeout
  /// How long the provider may be away, in seconds.
  case outage
  /// The least first wait of the clients' backoff, in seconds.
  case base = "base_s"

  /// Whether the least is asked for that keeps the thresholds; else the most.
  package var wantsLeast: Bool { self != .clients && self != .outage }

  /// Whether it may be that none is needed at all.
  var hasNone: Bool { self == .jitter || self == .lead || self == .spread }

  /// What the values are measured in.
  package var unit: String {
    switch self {
    case .capacity: "tokens a second"
    case .clients: "clients"
    case .jitter: "of the life"
    case .lead, .spread, .timeout, .outage, .base: "s"
    }
  }

  /// Between which values the answer is looked for.
  package func range(_ settings: WorldSettings) -> ClosedRange<Double> {
    let life = settings.plan.life.inSeconds
    let clients = Double(settings.plan.clients)
    return switch self {
    case .capacity: min(clients / life / 10, clients / 2)...clients
    case .clients: 1...Double(WorldSettings.clientsMax)
    case .jitter: 0.0005...1
    case .lead, .spread: 0.5...longest(settings, upTo: max(1, life / 2))
    case .timeout: shortestTimeout(settings)...1800
    case .base: 0.05...300
    case .outage: 1...max(2, life)
    }
  }

  /// The shortest timeout that the gateway's wire can have.
  private func shortestTimeout(_ settings: WorldSettings) -> Double {
    [1.0, 2, 5, 10, 20, 30].first {
      (try? self.settings(settings, with: $0).sessionPolicy()) != nil
    } ?? 60
  }

  /// The longest lead or spread, of that and its halves, that leaves the phases of a scenario where they can be: those that are
  /// counted from the wave would begin before the storm otherwise.
  private func longest(_ settings: WorldSettings, upTo most: Double) -> Double {
    var longest = most
    while longest > 1, (try? self.settings(settings, with: longest).check()) == nil { longest = max(1, longest / 2) }
    return longest
  }

  /// The settings with that value.
  package func settings(_ settings: WorldSettings, with value: Double) -> WorldSettings {
    var changed = settings
    let time = Duration.nanoseconds(Int64(min(value, 1e6) * 1e9))
    switch self {
    case .capacity: changed.provider = settings.provider.scaled(toRate: value)
    case .clients:
      return settings.scaled(toClients: Int(min(value, Double(WorldSettings.clientsMax))), withProvider: false)
    case .jitter: changed.plan.jitter = min(1, value)
    case .lead: changed.plan.gateway.lead = time
    case .spread: changed.plan.gateway.spread = time
    case .timeout: changed.plan.gateway.timeout = time
    case .base:
      changed.plan.backoff.base = time
      changed.plan.backoff.cap = max(time, settings.plan.backoff.cap)
    case .outage:
      let first = settings.provider.pauses.first
      changed.provider.pauses = [
        .init(at: first?.at ?? settings.plan.onset, length: time, refuses: first?.refuses ?? false)
      ]
    }
    return changed
  }
}
