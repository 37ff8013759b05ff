internal import GatewayCore
internal import GatewayTokens

/// The refresh tokens of the built-in provider: a family for each login, with a limit on their number.
///
/// A token is opaque: the login's random name, its generation and a code over both, so that nothing of a token is kept.
/// The logins are in memory only.
struct RefreshTokens: Sendable {
  /// A refresh token of a known login.
  struct Shown: Sendable {
    fileprivate let name: Login
    fileprivate let generation: UInt32
    /// The order of its login.
    let order: TokenOrder
  }

  /// The random name of a login.
  fileprivate struct Login: Hashable, Sendable {
    let bytes: [UInt8]
  }

  private struct Entry {
    let order: TokenOrder
    var family: TokenFamily
  }

  let policy: RotationPolicy
  private let secrets: Secrets
  private let key: [UInt8]
  private var entries: [Login: Entry] = [:]
  /// The logins in their order, from ``first`` on. One more than the limit ends the oldest.
  private var logins: [Login] = []
  private var first = 0
  /// The latest logins of each user, if a theft ends all of them.
  private var byUser: [UserID: [Login]] = [:]
  private(set) var figures = RotationFigures()

  /// The maximum number of logins, and of one user's if a theft ends all of them. A login takes about 200 bytes.
  private static let loginsMax = 1_000_000
  private static let loginsPerUserMax = 1_000
  private static let nameSize = 16
  private static let codeSize = 16

  init(_ policy: RotationPolicy, secrets: Secrets) {
    self.policy = policy
    self.secrets = secrets
    key = secrets.bytes(HMACSHA256.size)
  }

  /// Starts the family of a login. Returns its first token.
  mutating func begin(_ order: TokenOrder, at now: Instant) -> Credentials {
    let name = Login(bytes: secrets.bytes(Self.nameSize))
    if entries.count >= Self.loginsMax { endOldest() }
    let lasting = TokenOrder(user: order.user, kind: order.kind, life: nil, calls: nil, scheme: order.scheme)
    entries[name] = Entry(order: lasting, family: TokenFamily(at: now))
    logins.append(name)
    if policy.revokes == .user {
      var own = byUser[order.user] ?? []
      if own.count >= Self.loginsPerUserMax { entries[own.removeFirst()] = nil }
      byUser[order.user] = nil
      own.append(name)
      byUser[order.user] = own
    }
    return token(name, 1)
  }

  private mutating func endOldest() {
    while first < logins.count {
      let oldest = logins[first]
      first += 1
      if first > 4096, first * 2 > logins.count {
        logins.removeFirst(first)
        first = 0
      }
      guard let entry = entries.removeValue(forKey: oldest) else { continue }
      let others = byUser[entry.order.user]?.filter { $0 != oldest }
      byUser[entry.order.user] = others?.isEmpty == false ? others : nil
      return
    }
  }

  /// Returns what a refresh token says; nil if it is none, or of no known login.
  func read(_ text: String) -> Shown? {
    guard text.utf8.count <= 128, let bytes = Base64URL.decode(text),
      bytes.count == Self.nameSize + 4 + Self.codeSize
    else { return nil }
    let said = Array(bytes.prefix(Self.nameSize + 4))
    guard ConstantTime.areEqual(code(said), Array(bytes.suffix(Self.codeSize))) else { return nil }
    let name = Login(bytes: Array(said.prefix(Self.nameSize)))
    guard let entry = entries[name] else { return nil }
    let generation = said.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return Shown(name: name, generation: generation, order: entry.order)
  }

  /// Uses a refresh token, and ends all families of its user if the policy says so.
  ///
  /// - Returns: The token that follows; nil if it is refused.
  mutating func use(_ shown: Shown, at now: Instant) -> Credentials? {
    guard var entry = entries[shown.name] else { return nil }
    let verdict = entry.family.show(shown.generation, at: now, by: policy)
    entries[shown.name] = entry
    figures.count(verdict)
    switch verdict {
    case .rotated(let generation), .replayed(let generation): return token(shown.name, generation)
    case .refused: return nil
    case .revoked:
      figures.familiesRevoked += 1
      for login in byUser[entry.order.user] ?? [] {
        guard let family = entries[login]?.family, !family.isRevoked else { continue }
        entries[login]?.family.revoke()
        figures.familiesRevoked += 1
      }
      return nil
    }
  }

  private func token(_ name: Login, _ generation: UInt32) -> Credentials {
    let said = name.bytes + (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * $0)) }
    return Credentials(token: Base64URL.encode(said + code(said)))
  }

  private func code(_ said: [UInt8]) -> [UInt8] {
    Array(HMACSHA256.code(key: key, said).prefix(Self.codeSize))
  }
}
