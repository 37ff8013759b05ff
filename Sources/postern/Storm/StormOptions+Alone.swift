import GatewayCore
import GatewayFleet
import GatewayKit

// A storm without a gateway: only the token endpoint.

extension StormOptions {
  /// Rejects flags that need a gateway.
  static func checkAlone(_ draft: StormDraft) throws {
    let sources = [
      draft.urls.last?.source, draft.namedDialect?.source, draft.wire?.source, draft.namedSDK?.source,
      draft.application?.source, draft.controls.last?.source, draft.faults.last?.source, draft.scenario?.source,
      draft.mints ? draft.isMinting?.source : nil, draft.reconnects.flatMap { $0.value ? $0.source : nil },
      draft.sources?.source, draft.connectTimeout?.source,
    ]
    guard let source = sources.compactMap(\.self).first else { return }
    throw UsageError("\(source) is about a gateway, and --provider-only has none")
  }

  static func checkAlone(_ plan: StormPlan) throws {
    let others = plan.behaviours.counts(of: plan.clients).filter { $0.value > 0 }.keys.filter {
      ![.wellBehaved, .slow].contains($0)
    }
    guard let other = others.map(\.rawValue).min() else { return }
    throw UsageError(
      "--behaviour \(other) is seen by a gateway only; --provider-only has well-behaved and slow clients")
  }
}
