package import GatewayCore

/// The durable store of a gateway's revocations. The loops decide by copies of it.
package protocol RevocationKeeper: Sendable {
  /// Keeps a revocation. Throws `GatewayError.tooMany` if as many are kept as may be; what threw has kept nothing.
  ///
  /// - Parameters:
  ///   - target: The tokens that it covers.
  ///   - isEnding: Whether it closes sessions, whatever the session policy says.
  ///   - now: The time of day.
  func keep(_ target: Revocations.Target, isEnding: Bool, at now: WallTime) async throws(GatewayError)

  /// Keeps tokens that an operator let expire before their time, as far as there is room.
  func keep(_ expired: [ExpiredToken], at now: WallTime) async throws(GatewayError)
}

/// A part of what a store keeps of revocations, or all of it.
package struct KeptRevocations: Sendable {
  package var targets: [Revocations.Target] = []
  /// The targets that close sessions, whatever the session policy says.
  package var ending: [Revocations.Target] = []
  package var expired: [ExpiredToken] = []

  package init() {}
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
