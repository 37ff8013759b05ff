internal import GatewayCore

/// A token provider that takes long for each token.
struct MintSlowly: ProviderDelay {
  static let word = "mint_slowly"
  static let summary = "delays every token of the token provider"
  static let members = ["by_ms"]
  static let example = #"{"fault": "mint_slowly", "by_ms": 5000, "for_s": 60}"#

  private let duration: Duration

  init(_ fields: FaultFields) throws(GatewayError) {
    let duration = try fields.delay()
    self.duration = duration
  }

  func delay(at now: Instant) -> Duration? { duration }
}
