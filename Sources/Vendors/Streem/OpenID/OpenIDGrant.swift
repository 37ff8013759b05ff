internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// A person's grant to a client, made by logging in: ann's for `streem-sdk`, with the scope `profile`, for instance.
/// Everything that came of one login ends together.
struct OpenIDGrant: StoreValue {
  /// Its name in ID tokens; says nothing that a refresh token is made of.
  let sid: Name
  let issuer: String
  let company: Name
  let client: Name
  /// The application's name of the user.
  let user: Name
  let scopes: [Name]
  let nonce: String?
  let authenticatedAt: WallTime
  let expiresAt: WallTime
  /// The hash of the newest refresh token; nil for none.
  var refreshHash: [UInt8]?
  /// Those before it that are good too, the oldest first; nil where none may be used again.
  var olderRefreshes: [OpenIDRefresh]?
  /// The hashes of the access tokens that are good, the oldest first.
  var accessHashes: [[UInt8]] = []

  var account: OpenIDAccount { OpenIDAccount(company: company, user: user) }

  /// About how much room it takes, in bytes.
  var bytes: Int {
    512 + issuer.utf8.count + user.text.utf8.count + (nonce?.utf8.count ?? 0) + (olderRefreshes?.count ?? 0) * 64
  }

  /// Of so many refreshes at once the first are forgotten, and their tokens no good.
  private static let olderMax = 8

  /// Uses a refresh token up: at once, or with a `window` at the end of it. False if it is none of the grant's, or no
  /// longer.
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

/// A refresh token under its hash: the one that ann's client has just used, and that another tab of hers may show a moment
/// later, for instance.
struct OpenIDRefresh: Codable {
  let hash: [UInt8]
  /// When it was used first; nil if it was not.
  var usedAt: WallTime?
}

/// The tokens that the token endpoint hands out: an access token, for instance, and a refresh token where one was
/// granted.
struct OpenIDTokens {
  let grant: OpenIDGrant
  let access: String
  let refresh: String?
  let expiresAt: WallTime
}
