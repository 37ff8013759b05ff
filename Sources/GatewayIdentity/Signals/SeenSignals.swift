internal import GatewayCore
internal import GatewayTokens

/// The signals that were carried out, by their `iss` and `jti`: 50,000 at least, 100,000 at most. A signal that is forgotten is
/// carried out again, which changes nothing.
struct SeenSignals {
  private static let countMax = 50_000

  private var latest: Set<LoginSession> = []
  private var earlier: Set<LoginSession> = []

  /// Returns whether the signal was carried out before.
  func contains(_ id: String, of issuer: Name) -> Bool {
    let key = LoginSession(id, at: issuer)
    return latest.contains(key) || earlier.contains(key)
  }

  mutating func insert(_ id: String, of issuer: Name) {
    if latest.count >= Self.countMax { (earlier, latest) = (latest, []) }
    latest.insert(LoginSession(id, at: issuer))
  }
}
