package import GatewayCore

/// The durable store of a gateway's revocations. The loops decide by copies of it.
package protocol RevocationKeeper: Sendable {
  /// Keeps a revocation. Throws `GatewayError.tooMany` if as many are kept as may be; what threw has kept nothing.
  func keep(_ target: Revocations.Target, at now: WallTime) async throws(GatewayError)

  /// Keeps tokens that an operator let expire before their time, as far as there is room.
  func keep(_ expired: [ExpiredToken], at now: WallTime) async throws(GatewayError)
}

/// A token that counts as expired, e.g. one that an operator expired early.
package struct ExpiredToken: Hashable, Sendable {
  package let fingerprint: TokenFingerprint
  /// When it expires of itself; nil if it never does.
  package let expiresAt: WallTime?

  package init(_ fingerprint: TokenFingerprint, expiresAt: WallTime?) {
    self.fingerprint = fingerprint
    self.expiresAt = expiresAt
  }
}
