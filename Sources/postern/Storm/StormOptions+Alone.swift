import GatewayCore
import GatewayFleet
import GatewayKit

// A storm without a gateway: the token endpoint alone.

extension StormOptions {
  /// Throws if a flag needs a gateway.
  static func checkAlone(_ arguments: Arguments) throws {
    let unused = [
      "url", "dialect", "wire", "sdk", "application", "control-url", "fault", "scenario", "mint", "reconnect",
      "sources",
      "connect-timeout",
    ]
    for name in unused {
      guard let value = arguments.value(name), value.text != "false" else { continue }
      throw UsageError("\(value.source) is about a gateway, and --provider-only has none")
    }
  }

  static func checkAlone(_ plan: StormPlan) throws {
    let others = plan.behaviours.counts(of: plan.clients).filter { $0.value > 0 }.keys.filter {
      ![.wellBehaved, .slow].contains($0)
    }
    guard let other = others.map(\.rawValue).min() else { return }
    throw UsageError(
      "--behaviour \(other) is seen by a gateway only; --provider-only has well-behaved and slow clients")
  }

  /// The clients that have no gateway renew as the gateway's times would have them: a lead before the end, spread by so
  /// much, and they go on trying as long as a gateway would wait.
  static func alone(_ plan: StormPlan) -> any ClientDialect {
    AloneClientDialect(lead: plan.gateway.lead, spread: plan.gateway.spread, grace: plan.gateway.timeout)
  }
}
