package import GatewayCore

/// A token that cannot be verified at present, as when the gateway's store is unreachable. It is neither valid nor
/// invalid.
package struct RefuseForNow: VerificationFault {
  package static let word = "refuse_for_now"
  package static let summary = "says of tokens, at sockets and over HTTP, that they cannot be judged just now"
  package static let members = ["of"]
  package static let example = #"{"fault": "refuse_for_now", "of": "refresh", "times": 3}"#

  private let use: TokenUse

  package init(_ fields: FaultFields) throws(GatewayError) { use = try fields.word("of") ?? .any }

  package func refusal(
    of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant
  ) -> GatewayError? {
    use.takesIn(isRefresh: isRefresh) ? .storeUnavailable : nil
  }
}
