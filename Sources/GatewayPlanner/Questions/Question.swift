internal import GatewayCore
internal import GatewayFleet

/// A number in a scenario for which the planner searches.
package enum Question: String, Hashable, Sendable, CaseIterable {
  /// The minimum number of tokens a second that the provider must make.
  case capacity
  /// The maximum number of clients.
  case clients
  /// The minimum share of the tokens' life over which expiries must be scattered.
  case jitter
  /// The gateway's minimum lead, spread and timeout, in seconds.
  case lead
  case spread
  case timeout
  /// The maximum outage of the provider, in seconds.
  case outage
  /// The minimum first wait of the clients' backoff, in seconds.
  case base = "base_s"
  /// The minimum time in which a refresh token that is shown again is forgiven, in seconds.
  case grace

  /// Whether the question is for the minimum that keeps the thresholds, not the maximum.
  package var wantsLeast: Bool { self != .clients && self != .outage }

  /// Whether the answer may be 0.
  var hasNone: Bool { self == .jitter || self == .lead || self == .spread || self == .grace }

  /// The unit of the values.
  package var unit: String {
    switch self {
    case .capacity: "tokens a second"
    case .clients: "clients"
    case .jitter: "of the life"
    case .lead, .spread, .timeout, .outage, .base, .grace: "s"
    }
  }

  /// Returns the range in which the answer is searched.
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
    case .grace: 0.5...900
    case .outage: 1...max(2, life)
    }
  }

  /// Returns the minimum timeout that the gateway's dialect can have.
  private func shortestTimeout(_ settings: WorldSettings) -> Double {
    [1.0, 2, 5, 10, 20, 30].first {
      (try? self.settings(settings, with: $0).sessionPolicy()) != nil
    } ?? 60
  }

  /// Returns the longest lead or spread, among `most` and its halves, with which the phases of a scenario are possible.
  /// Phases counted from the wave would otherwise begin before the storm.
  private func longest(_ settings: WorldSettings, upTo most: Double) -> Double {
    var longest = most
    while longest > 1, (try? self.settings(settings, with: longest).check()) == nil { longest = max(1, longest / 2) }
    return longest
  }

  /// Returns the settings with that value.
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
    case .grace: changed.provider.rotation?.grace = time
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
