internal import GatewayCore

/// A token provider that never answers, unless the fault is removed while a client waits. A client without its own
/// timeout waits until its session is over.
struct MintNever: ProviderDelay {
  static let word = "mint_never"
  static let summary = "makes the token provider accept requests, and answer none"
  static let example = #"{"fault": "mint_never", "times": 1}"#

  init(_ fields: FaultFields) throws(GatewayError) {}

  func delay(at now: Instant) -> Duration? { nil }
}
