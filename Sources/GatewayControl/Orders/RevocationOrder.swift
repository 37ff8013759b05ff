/// The order to revoke one token, a user's, or all issued before a time, `POST /revocations`.
package struct RevocationOrder: ControlOrder {
  package static let form =
    #"{"token_fingerprint": 32 hex digits, "#
    + #""expires_at"?: unix s} or {"user_id": string, "issued_before"?: unix s} or {"issued_before": unix s}"#

  /// The fingerprint of a token, as a session shows it.
  package var tokenFingerprint: String?
  package var userID: String?
  /// The time before which the tokens were issued, in seconds since 1970; nil for now.
  package var issuedBefore: Double?
  /// The expiry of that one token, in seconds since 1970; the gateway may drop the revocation from then on.
  package var expiresAt: Double?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case tokenFingerprint = "token_fingerprint"
    case expiresAt = "expires_at"
    case userID = "user_id"
    case issuedBefore = "issued_before"
  }

  package init(
    tokenFingerprint: String? = nil, userID: String? = nil, issuedBefore: Double? = nil,
    expiresAt: Double? = nil
  ) {
    self.tokenFingerprint = tokenFingerprint
    self.userID = userID
    self.issuedBefore = issuedBefore
    self.expiresAt = expiresAt
  }
}
