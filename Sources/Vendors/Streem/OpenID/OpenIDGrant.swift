internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// A grant to a client, created by a person's login. All tokens of one login end together.
struct OpenIDGrant: StoreValue {
  /// Its name in ID tokens, which is independent of the refresh tokens.
  let sid: Name
  let issuer: String
  let company: Name
  let client: Name
  /// The application's id of the user.
  let user: Name
  let scopes: [Name]
  let nonce: String?
  let authenticatedAt: WallTime
  let expiresAt: WallTime
  /// The hash of the newest refresh token; nil for none.
  var refreshHash: [UInt8]?
  /// Earlier refresh tokens that are still valid, oldest first; nil if none may be used again.
  var olderRefreshes: [OpenIDRefresh]?
  /// The hashes of the valid access tokens, oldest first.
  var accessHashes: [[UInt8]] = []

  var account: OpenIDAccount { OpenIDAccount(company: company, user: user) }

  /// The approximate size in bytes.
  var bytes: Int {
    512 + issuer.utf8.count + user.text.utf8.count + (nonce?.utf8.count ?? 0) + (olderRefreshes?.count ?? 0) * 64
  }

  /// The most older refresh tokens; the oldest beyond become invalid.
  private static let olderMax = 8

  /// Marks a refresh token as used: it becomes invalid at once, or at the end of `window`. Returns false if it does not
  /// belong to the grant, or is invalid.
  mutating func use(refresh hash: [UInt8], at now: WallTime, window: Duration) -> Bool {
    var tokens = (olderRefreshes ?? []) + (refreshHash.map { [OpenIDRefresh(hash: $0)] } ?? [])
    tokens.removeAll { $0.usedAt.map { now >= $0 + window } ?? false }
    guard let index = tokens.firstIndex(where: { ConstantTime.areEqual($0.hash, hash) }) else { return false }
    if window <= .zero { tokens.remove(at: index) } else { tokens[index].usedAt = tokens[index].usedAt ?? now }
    refreshHash = nil
    olderRefreshes = tokens.isEmpty ? nil : Array(tokens.suffix(Self.olderMax))
    return true
  }

  var hasProfile: Bool { scopes.contains("profile") }
}

/// The record of a refresh token by its hash.
struct OpenIDRefresh: Codable {
  let hash: [UInt8]
  /// When it was used first; nil if it was not.
  var usedAt: WallTime?
}

/// The tokens in an answer of the token endpoint.
struct OpenIDTokens {
  let grant: OpenIDGrant
  let access: String
  let refresh: String?
  let expiresAt: WallTime
}
