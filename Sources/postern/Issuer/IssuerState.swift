import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayTokens

/// The keys of the storm's issuer and what was asked of them. A value: each time is a parameter.
struct IssuerState: Sendable {
  /// An answer to a request for the keys.
  enum Answer: Hashable, Sendable {
    case keys([UInt8], tag: String)
    case unchanged(tag: String)
    case limited(RetryAdvice)
  }

  /// A token that a client has presented and has no answer about: the number of its key, or a key that does not exist.
  private enum Shown: Hashable, Sendable {
    case good(key: Int)
    case opaque
    case forged
  }

  let rules: IssuerRules
  private(set) var figures = KeyFigures()
  private(set) var keys: [IssuedKey]
  private let startedAt: WallTime
  private let run: String
  private let secrets: Secrets
  private let tokens: @Sendable (JWTSigner) -> any TokenIssuer
  /// The key that signs forged tokens, which is in no set.
  private let stranger: KeyMaterial?
  private var budgets: RequestBudgets
  private var signing = 0
  private var requestsOfKey = 0
  /// The number of the newest key that an answer had, and whether a token was shown since the last request whose key none had.
  private var newestTold = -1
  private var isUnknownShown = false
  private var shown: [Int: Shown] = [:]
  /// The keys of rotations that signed a token, until one of their tokens is accepted.
  private var untried: [Int: WallTime] = [:]
  private var begun = 0
  private var opaque = OpaqueTokens()

  /// Begins with one key.
  ///
  /// - Parameters:
  ///   - rules: The rules.
  ///   - given: The first key; nil to generate one.
  ///   - run: The beginning of the keys' names.
  ///   - secrets: The source of forged and opaque tokens.
  ///   - now: The time, from which rotations count.
  ///   - tokens: Returns the issuer of tokens that a signer signs.
  init(
    _ rules: IssuerRules, given: KeyMaterial?, run: String, secrets: Secrets, at now: WallTime,
    tokens: @escaping @Sendable (JWTSigner) -> any TokenIssuer
  ) throws(KeyError) {
    self.rules = rules
    self.run = run
    self.secrets = secrets
    self.tokens = tokens
    startedAt = now
    budgets = RequestBudgets(rules.limit.map { [$0] } ?? [])
    keys = [try IssuedKey(number: 0, run: run, since: now, given: given, tokens: tokens)]
    stranger = rules.forged > 0 ? try KeyMaterial.jwks(P256KeyPair.generate().jwk).first : nil
  }

  // MARK: Keys

  /// Makes the keys that are due, and removes those whose time is over.
  private mutating func advance(to now: WallTime) {
    guard let rotate = rules.rotate else { return }
    let every = max(1, rotate.nanoseconds)
    let newest = max(0, (now + rules.ahead - startedAt).nanoseconds / every)
    let first = max(Int64((keys.last?.number ?? 0) + 1), newest - Int64(IssuerRules.keysMax))
    for number in first..<max(first, newest + 1) {
      let since = startedAt + .nanoseconds(every * number)
      // A key that cannot be made is made at the next request.
      guard let key = try? IssuedKey(number: Int(number), run: run, since: since, tokens: tokens) else { break }
      keys.append(key)
    }
    let current = keys.last { $0.since <= now }?.number ?? 0
    if current > signing {
      signing = current
      requestsOfKey = 0
      figures.rotations = current
    }
    let oldest = keys.first { key in
      key.number >= current || startedAt + .nanoseconds(every * (Int64(key.number) + 1)) + rules.overlap > now
    }
    if let oldest { keys.removeAll { $0.number < oldest.number } }
    if keys.count > IssuerRules.keysMax { keys.removeFirst(keys.count - IssuerRules.keysMax) }
  }

  /// Answers a request for the keys.
  ///
  /// - Parameter known: The caller's `If-None-Match`, if it has one.
  mutating func answer(known: String?, at now: WallTime) -> Answer {
    advance(to: now)
    figures.requests += 1
    requestsOfKey += 1
    figures.mostPerKey = max(figures.mostPerKey, requestsOfKey)
    if isUnknownShown { figures.afterUnknownKid += 1 }
    isUnknownShown = false
    let clock = Instant.zero + max(.zero, now - startedAt)
    if let refusal = budgets.judge(user: nil, address: nil, at: clock) {
      figures.limited += 1
      return .limited(RetryAdvice(refusal, share: 0, at: now))
    }
    newestTold = keys.last?.number ?? 0
    let tag = "\"\(run)-\(keys.first?.number ?? 0)-\(newestTold)\""
    guard !Self.names(known, tag) else {
      figures.unchanged += 1
      return .unchanged(tag: tag)
    }
    let set = JSONWriter.object(capacity: 64 + 256 * keys.count) { json in
      json.name("keys")
      json.beginArray()
      for key in keys { json.raw(String(decoding: key.jwk, as: UTF8.self)) }
      json.endArray()
    }
    return .keys(set, tag: tag)
  }

  /// Returns whether an `If-None-Match` names the tag (RFC 9110 section 13.1.2; its comparison is weak).
  private static func names(_ field: String?, _ tag: String) -> Bool {
    guard let field else { return false }
    return field.split(separator: ",").contains { part in
      let text = part.drop { $0 == " " }
      let bare = text.hasPrefix("W/") ? text.dropFirst(2) : text
      return bare.utf8.elementsEqual(tag.utf8) || bare == "*"
    }
  }

  mutating func discovered() { figures.discoveries += 1 }

  /// Answers a question about a token.
  mutating func introspect(_ token: String, at now: WallTime) -> [UInt8] {
    figures.introspections += 1
    return opaque.answer(token, issuer: rules.issuer, at: now)
  }

  // MARK: Tokens

  /// Returns the next token of a client.
  mutating func mint(for client: Int, user: UserID, issuedAt now: WallTime, expiresAt: WallTime) -> Credentials? {
    advance(to: now)
    if rules.isForger(client) { return forge(for: client, user: user, issuedAt: now, expiresAt: expiresAt) }
    guard let key = keys.last(where: { $0.number <= signing }) else { return nil }
    figures.valid.shown += 1
    if rules.introspects {
      shown[client] = .opaque
      return opaque.mint(user: user, issuedAt: now, expiresAt: expiresAt, secrets)
    }
    if key.number > newestTold { isUnknownShown = true }
    if key.number > begun {
      begun = key.number
      untried[key.number] = key.since
      figures.rotationsShown += 1
    }
    shown[client] = .good(key: key.number)
    return key.tokens.mint(user: user, kind: .regular, issuedAt: now, expiresAt: expiresAt, calls: nil)
  }

  /// Returns a token with a `kid` that no key has.
  private mutating func forge(
    for client: Int, user: UserID, issuedAt now: WallTime, expiresAt: WallTime
  ) -> Credentials? {
    if rules.introspects {
      figures.forged.shown += 1
      shown[client] = .forged
      return OpaqueTokens.unknown(secrets)
    }
    guard var key = stranger else { return nil }
    key.id = Base64URL.encode(secrets.bytes(12))
    guard let signer = try? JWTSigner(key, algorithm: .es256) else { return nil }
    figures.forged.shown += 1
    isUnknownShown = true
    shown[client] = .forged
    return tokens(signer).mint(user: user, kind: .regular, issuedAt: now, expiresAt: expiresAt, calls: nil)
  }

  /// Notes that the gateway accepted the client's latest token.
  mutating func accepted(_ client: Int, at now: WallTime) {
    switch shown.removeValue(forKey: client) {
    case nil: return
    case .forged: figures.forged.accepted += 1
    case .opaque: figures.valid.accepted += 1
    case .good(let key):
      figures.valid.accepted += 1
      guard let since = untried.removeValue(forKey: key) else { return }
      figures.rotationsAccepted += 1
      figures.longestToAccepted = max(figures.longestToAccepted ?? 0, (now - since).inSeconds)
    }
  }

  /// Notes that the client's latest token was not accepted.
  mutating func unaccepted(_ client: Int, isRefused: Bool) {
    let fate: WritableKeyPath<KeyFigures.Tokens, Int> = isRefused ? \.refused : \.unjudged
    switch shown.removeValue(forKey: client) {
    case nil: return
    case .forged: figures.forged[keyPath: fate] += 1
    case .good, .opaque: figures.valid[keyPath: fate] += 1
    }
  }
}
