package import GatewayCore

/// A valid token that is refused, e.g. for its signature.
package struct RefuseToken: VerificationFault {
  package static let word = "refuse_token"
  package static let summary =
    "rejects valid tokens, at sockets and over HTTP, with an error (default signature_invalid)"
  package static let members = ["error", "of"]
  package static let example = #"{"fault": "refuse_token", "error": "audience_mismatch", "of": "refresh", "times": 1}"#

  private let error: GatewayError
  private let use: TokenUse

  package init(_ fields: FaultFields) throws(GatewayError) {
    error = try fields.error("error") ?? .signatureInvalid
    use = try fields.word("of") ?? .any
  }

  package func refusal(
    of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant
  ) -> GatewayError? {
    use.takesIn(isRefresh: isRefresh) ? error : nil
  }
}
