package import GatewayCore

/// A place where the last good keys of each issuer outlive the process, so that a restart while the issuer is away lets users in.
package protocol KeyKeeper: Sendable {
  /// Returns the keys that were kept; nil if there are none, or the store is unavailable.
  func kept(of issuer: IssuerSettings, at now: WallTime) async -> KeptKeys?

  /// Keeps keys in place of those from before, if the store is available.
  func keep(_ keys: KeptKeys, of issuer: IssuerSettings, at now: WallTime) async
}

/// A JWK set as it was fetched.
package struct KeptKeys: Sendable {
  package let set: [UInt8]
  /// When it was last read or confirmed.
  package let readAt: WallTime

  package init(set: [UInt8], readAt: WallTime) {
    self.set = set
    self.readAt = readAt
  }

  /// How long keys stay good that cannot be confirmed.
  package static let stale = Duration.seconds(86_400)
}
