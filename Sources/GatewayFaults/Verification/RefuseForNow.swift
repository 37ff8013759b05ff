internal import GatewayCore

/// A token that cannot be verified at present, as when the gateway's store or its identity provider is unreachable. It is
/// neither valid nor invalid.
struct RefuseForNow: VerificationFault {
  static let word = "refuse_for_now"
  static let summary =
    "answers that tokens cannot be verified now, with the error store_unavailable or identity_unavailable"
  static let members = ["of", "error"]
  static let example = #"{"fault": "refuse_for_now", "of": "refresh", "times": 3}"#

  private let error: GatewayError
  private let use: TokenUse

  init(_ fields: FaultFields) throws(GatewayError) {
    use = try fields.word("of") ?? .any
    error = try fields.error("error") ?? .storeUnavailable
    guard error.isUnjudged else {
      throw .invalidParameter.detailed(
        "error must be store_unavailable or identity_unavailable; for others there is refuse_token")
    }
  }

  func refusal(
    of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant
  ) -> GatewayError? {
    use.takesIn(isRefresh: isRefresh) ? error : nil
  }
}
