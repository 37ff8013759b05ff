internal import GatewayCore

/// A valid token that is refused, e.g. for its signature.
struct RefuseToken: VerificationFault {
  static let word = "refuse_token"
  static let summary =
    "rejects valid tokens, at sockets and over HTTP, with an error (default signature_invalid)"
  static let members = ["error", "of"]
  static let example = #"{"fault": "refuse_token", "error": "audience_mismatch", "of": "refresh", "times": 1}"#

  private let error: GatewayError
  private let use: TokenUse

  init(_ fields: FaultFields) throws(GatewayError) {
    error = try fields.error("error") ?? .signatureInvalid
    use = try fields.word("of") ?? .any
  }

  func refusal(
    of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant
  ) -> GatewayError? {
    use.takesIn(isRefresh: isRefresh) ? error : nil
  }
}
