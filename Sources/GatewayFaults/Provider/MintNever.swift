package import GatewayCore

/// A token provider that never answers, unless the fault is removed while a client waits. A client without its own
/// timeout waits until its session is over.
package struct MintNever: ProviderDelay {
  package static let word = "mint_never"
  package static let summary = "makes the token provider accept requests, and answer none"
  package static let example = #"{"fault": "mint_never", "times": 1}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func delay(at now: Instant) -> Duration? { nil }
}
