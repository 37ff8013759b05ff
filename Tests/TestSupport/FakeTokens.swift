package import GatewayCore

/// Tokens with readable content instead of claims: an issuer and its authenticator, for tests that are not about
/// tokens.
package struct FakeTokens: TokenIssuer, Authenticator {
  package init() {}

  package func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    let expiry = expiresAt.map { String($0.nanoseconds) } ?? ""
    let calls = calls.map { $0.map(\.cid).joined(separator: ",") } ?? ""
    return Credentials(
      token: [user.rawValue, kind.rawValue, String(issuedAt.nanoseconds), expiry, calls].joined(separator: "|"))
  }

  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    .decided(verdict(credentials, at: now))
  }

  /// Returns the content of the token, if it was issued here and has not expired.
  package func verdict(_ credentials: Credentials, at now: WallTime) -> Verdict {
    let parts = credentials.token.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 5, let kind = UserKind(rawValue: String(parts[1])), let issued = Int64(parts[2]) else {
      return .failure(.tokenMalformed)
    }
    let expiresAt = Int64(parts[3]).map { WallTime(nanoseconds: $0) }
    if let expiresAt, expiresAt <= now { return .failure(.tokenExpired) }
    let calls = parts[4].isEmpty ? nil : parts[4].split(separator: ",").compactMap { CallID(cid: String($0)) }
    return .success(
      VerifiedToken(
        user: UserID(String(parts[0])), kind: kind, fingerprint: fingerprint(credentials),
        issuedAt: WallTime(nanoseconds: issued), expiresAt: expiresAt, calls: calls))
  }

  package func fingerprint(_ credentials: Credentials) -> TokenFingerprint {
    let high = credentials.token.utf8.reduce(into: UInt64(5381)) { $0 = $0 &* 33 &+ UInt64($1) }
    return TokenFingerprint(high: high, low: UInt64(credentials.token.utf8.count))
  }
}
