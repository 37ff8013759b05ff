import GatewayCore
import GatewayFleet
import GatewayKit

// A storm without a gateway: only the token endpoint.

extension StormOptions {
  /// Rejects flags that need a gateway.
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

  /// Returns clients without a gateway. They renew by the gateway's times: the lead time before expiry, spread over a window,
  /// with retries for as long as a gateway would wait.
  static func alone(_ plan: StormPlan) -> any ClientDialect {
    AloneClientDialect(lead: plan.gateway.lead, spread: plan.gateway.spread, grace: plan.gateway.timeout)
  }
}
