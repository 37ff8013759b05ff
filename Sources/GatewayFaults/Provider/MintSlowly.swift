package import GatewayCore

/// A token provider that takes long for each token.
package struct MintSlowly: ProviderDelay {
  package static let word = "mint_slowly"
  package static let summary = "delays every token of the token provider"
  package static let members = ["by_ms"]
  package static let example = #"{"fault": "mint_slowly", "by_ms": 5000, "for_s": 60}"#

  private let duration: Duration

  package init(_ fields: FaultFields) throws(GatewayError) {
    guard let duration = try fields.milliseconds("by_ms") else { throw fields.missing("by_ms") }
    self.duration = duration
  }

  package func delay(at now: Instant) -> Duration? { duration }
}
