package import GatewayCore

/// A rotation of the token key. Tokens that were issued before are refused even if they have not expired, after an
/// overlap in which both keys are valid.
package struct RotateKeys: VerificationFault {
  package static let word = "rotate_keys"
  package static let summary =
    "rejects tokens issued before the order, at sockets and over HTTP, after overlap_s seconds"
  package static let members = ["overlap_s"]
  package static let example = #"{"fault": "rotate_keys", "overlap_s": 30}"#

  private let overlap: Duration

  package init(_ fields: FaultFields) throws(GatewayError) { overlap = try fields.seconds("overlap_s") ?? .zero }

  package func refusal(
    of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant
  ) -> GatewayError? {
    guard now >= standing.begins + overlap, let issuedAt = token.issuedAt else { return nil }
    return standing.isYounger(than: issuedAt) ? .signatureInvalid : nil
  }
}
