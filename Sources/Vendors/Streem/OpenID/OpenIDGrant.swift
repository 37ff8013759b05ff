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

  /// Marks a refresh token as used: it becomes invalid at once, or at the end of `window`. Returns false if it does not
  /// belong to the grant, or is invalid.
  mutating func use(refresh hash: [UInt8], at now: WallTime, window: Duration) -> Bool {
    let tokens = (olderRefreshes ?? []) + (refreshHash.map { [OpenIDRefresh(hash: $0)] } ?? [])
    let instant = Instant(nanoseconds: now.nanoseconds)
    // The generation of a token is its place in the list, from 1. One that is not in the list counts as stolen.
    var family = TokenFamily(
      newest: UInt32(tokens.count), at: instant,
      earlier: tokens.dropLast().enumerated().map { index, token in
        .init(generation: UInt32(index + 1), usedAt: token.usedAt.map { Instant(nanoseconds: $0.nanoseconds) })
      })
    let shown = tokens.firstIndex { ConstantTime.areEqual($0.hash, hash) }.map { UInt32($0 + 1) } ?? 0
    switch family.show(shown, at: instant, by: RotationPolicy(grace: window, replay: .new)) {
    case .rotated, .replayed: break
    case .refused, .revoked: return false
    }
    refreshHash = nil
    let kept = family.earlier.map { earlier in
      OpenIDRefresh(
        hash: tokens[Int(earlier.generation) - 1].hash,
        usedAt: earlier.usedAt.map { WallTime(nanoseconds: $0.nanoseconds) })
    }
    olderRefreshes = window <= .zero || kept.isEmpty ? nil : kept
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
