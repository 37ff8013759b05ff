internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// The grants and authorization codes of successful logins. Each step is atomic, and secrets are stored only as hashes.
/// Nothing is stored for a login that has not succeeded.
struct OpenIDGrants: Sendable {
  private static let codes = StoreTable<OpenIDCodeRow>("streem.code")
  private static let grants = StoreTable<OpenIDGrant>("streem.grant")
  private static let accesses = StoreTable<OpenIDAccessRow>("streem.access")
  private static let accounts = StoreTable<OpenIDAccountRow>("streem.account")
  /// How long a used code is remembered, so that a second use is detected.
  private static let codeMemory = Duration.seconds(3600)
  /// The maximum number of valid access tokens of one grant; a new one replaces the oldest.
  private static let accessesMax = 4

  private typealias Transaction = StoreTransaction<StreemFailure>

  private let store: any Store
  private let settings: OpenIDSettings
  let loginLimits: OpenIDLoginLimits
  private let chance: Secrets

  init(_ store: any Store, settings: OpenIDSettings, chance: Secrets, tally: NodeTally) {
    self.chance = chance
    self.store = store
    self.settings = settings
    loginLimits = OpenIDLoginLimits(settings, tally: tally)
  }

  // MARK: Login

  /// The outcome of the login form.
  enum Admission {
    /// Accepted, with a code for the client.
    case admitted(code: String)
    case wrong
    /// The password was not checked: too many tries for the account, or from the address.
    case wait(Duration)
  }

  /// Counts a login form from `address`, and creates a code if it is accepted.
  func admit(
    _ account: OpenIDAccount, to authorization: OpenIDAuthorization, isRight: Bool, isKnown: Bool,
    from address: String, at now: WallTime
  ) async throws(StreemFailure) -> Admission {
    switch loginLimits.count(account, isRight: isRight, isKnown: isKnown, from: address, at: now) {
    case .wait(let wait): return .wait(wait)
    case .wrong: return .wrong
    case .right: break
    }
    let code = Base64URL.encode(chance.bytes(OpenIDSecrets.size))
    let row = OpenIDCodeRow(
      client: authorization.client, company: authorization.company, issuedAt: now,
      worth: .init(authorization: authorization, user: account.user))
    let write = StoreCommit.Write(
      Self.key(ofCode: code), row, expires: now + settings.codeLife, in: counts(of: row))
    do throws(StoreError) {
      _ = try await store.settle(StoreCommit(writes: [write]), at: now)
    } catch {
      throw StreemFailure(error)
    }
    return .admitted(code: code)
  }

  // MARK: Tokens

  /// Exchanges a code for tokens, once. A second use ends the tokens of the first (RFC 6749 section 4.1.2). A wrong
  /// verifier uses the code up, because its sender is not the client that requested it.
  func redeem(
    _ code: String, client: Name, company: Name, redirect: Name?, verifier: String, at now: WallTime
  ) async throws(StreemFailure) -> OpenIDTokens {
    let secrets = OpenIDSecrets(chance)
    let tokens = try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(StreemFailure) -> OpenIDTokens? in
      let key = Self.key(ofCode: code)
      guard var row = try await transaction.get(key, as: OpenIDCodeRow.self), row.client == client,
        row.company == company
      else { return nil }
      guard let worth = row.worth else {
        if let grant = row.grant { try await end(grant, in: &transaction) }
        return nil
      }
      row.worth = nil
      var tokens: OpenIDTokens?
      if redirect == worth.authorization.answer.redirect,
        OpenIDAuthorization.isVerifier(verifier, of: worth.authorization.challenge)
      {
        tokens = try await start(worth, since: row.issuedAt, secrets, in: &transaction, at: now)
      }
      row.grant = tokens?.grant.sid
      transaction.put(key, row, expires: row.issuedAt + Self.codeMemory, in: counts(of: row))
      return tokens
    }
    guard let tokens else {
      throw StreemFailure(.invalidGrant, "the code is unknown, expired, used, or another request's")
    }
    return tokens
  }

  private func start(
    _ worth: OpenIDCodeRow.Worth, since: WallTime, _ secrets: OpenIDSecrets, in transaction: inout Transaction,
    at now: WallTime
  ) async throws(StreemFailure) -> OpenIDTokens {
    let authorization = worth.authorization
    let isLasting = authorization.scopes.contains("offline_access")
    let grant = OpenIDGrant(
      sid: OpenIDSecrets.sid(secrets.handle), issuer: authorization.answer.issuer, company: authorization.company,
      client: authorization.client, user: worth.user, scopes: authorization.scopes, nonce: authorization.nonce,
      authenticatedAt: since, expiresAt: now + (isLasting ? settings.refreshLife : settings.accessLife))
    // The account's oldest grants end to make room for a new one.
    let accountKey = Self.key(of: grant.account)
    let known = try await transaction.get(accountKey, as: OpenIDAccountRow.self)?.grants ?? []
    var live: [OpenIDGrant] = []
    for entry in try await transaction.read(known.map(Self.key(ofGrant:))) {
      if let grant = try transaction.value(entry, as: OpenIDGrant.self) { live.append(grant) }
    }
    while live.count >= settings.grantsPerUserMax { Self.delete(live.removeFirst(), in: &transaction) }
    // The row lives as long as the last of its grants, which are counted: otherwise an account for each login would
    // fill the memory.
    let end = live.reduce(grant.expiresAt) { max($0, $1.expiresAt) }
    transaction.put(accountKey, OpenIDAccountRow(grants: live.map(\.sid) + [grant.sid]), expires: end)
    return issue(grant, handle: isLasting ? secrets.handle : nil, secrets, in: &transaction, at: now)
  }

  /// Issues new tokens for a grant, and invalidates its older refresh token.
  private func issue(
    _ grant: OpenIDGrant, handle: [UInt8]?, _ secrets: OpenIDSecrets, in transaction: inout Transaction,
    at now: WallTime
  ) -> OpenIDTokens {
    var grant = grant
    if handle != nil { grant.refreshHash = SHA256.digest(secrets.secret) }
    let end = min(now + settings.accessLife, grant.expiresAt)
    grant.accessHashes.append(secrets.accessHash)
    while grant.accessHashes.count > Self.accessesMax {
      transaction.delete(Self.key(ofAccess: grant.accessHashes.removeFirst()))
    }
    let most = settings.grantsMax * Self.accessesMax
    transaction.put(
      Self.key(ofAccess: secrets.accessHash), OpenIDAccessRow(grant: grant.sid), expires: end,
      in: [StoreCount("streem.accesses", atMost: most, of: "access tokens")])
    transaction.put(
      Self.key(ofGrant: grant.sid), grant, expires: grant.expiresAt,
      in: [
        StoreCount("streem.grants", atMost: settings.grantsMax, of: "grants"),
        StoreCount("streem.grants.bytes", atMost: settings.bytesMax, of: "bytes of grants", weight: grant.bytes),
      ])
    let refresh = handle.map { OpenIDSecrets.refreshToken($0, secrets.secret) }
    return OpenIDTokens(grant: grant, access: secrets.access, refresh: refresh, expiresAt: end)
  }

  /// Exchanges a refresh token for new tokens, and uses it up. A token that was used before ends the grant, because it
  /// may be stolen (RFC 9700 section 4.14.2). Within the reuse window it counts as a concurrent refresh.
  func refresh(
    _ token: String, client: Name, company: Name, scope: String?, at now: WallTime
  ) async throws(StreemFailure) -> OpenIDTokens {
    let secrets = OpenIDSecrets(chance)
    let parts = OpenIDSecrets.parts(token)
    let tokens = try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(StreemFailure) -> OpenIDTokens? in
      guard let (handle, secret) = parts,
        var grant = try await transaction.get(
          Self.key(ofGrant: OpenIDSecrets.sid(handle)), as: OpenIDGrant.self),
        grant.client == client, grant.company == company, grant.refreshHash != nil
      else { return nil }
      guard grant.use(refresh: SHA256.digest(secret), at: now, window: settings.reuseWindow) else {
        try await end(grant.sid, in: &transaction)
        return nil
      }
      // A client may ask for less, which changes nothing, and may not ask for more (RFC 6749 section 6).
      guard OpenIDAuthorization.scopes(in: scope ?? "").allSatisfy(grant.scopes.contains) else {
        throw StreemFailure(.invalidScope, "the scope is wider than what was granted")
      }
      return issue(grant, handle: handle, secrets, in: &transaction, at: now)
    }
    guard let tokens else {
      throw StreemFailure(.invalidGrant, "the refresh token is unknown, expired, used, or another client's")
    }
    return tokens
  }

  /// Returns the grant of an access token; nil if it is unknown or has expired.
  func grant(of access: String, at now: WallTime) async throws(StreemFailure) -> OpenIDGrant? {
    guard let hash = AccessToken.hash(of: access) else { return nil }
    do throws(StoreError) {
      guard let row = try await store.get(Self.key(ofAccess: hash), as: OpenIDAccessRow.self, at: now) else {
        return nil
      }
      return try await store.get(Self.key(ofGrant: row.grant), as: OpenIDGrant.self, at: now)
    } catch {
      throw StreemFailure(error)
    }
  }

  // MARK: Revocation

  /// Revokes an access token, or with a refresh token the whole grant (RFC 7009 section 2.1). An unknown token is
  /// ignored; a token of another client stays valid, and the request is refused.
  func revoke(_ token: String, client: Name, company: Name, at now: WallTime) async throws(StreemFailure) {
    let hash = AccessToken.hash(of: token)
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(StreemFailure) in
      var sid = OpenIDSecrets.parts(token).map { OpenIDSecrets.sid($0.handle) }
      if let hash {
        sid = try await transaction.get(Self.key(ofAccess: hash), as: OpenIDAccessRow.self)?.grant ?? sid
      }
      guard let sid, let grant = try await transaction.get(Self.key(ofGrant: sid), as: OpenIDGrant.self),
        grant.company == company
      else { return }
      guard grant.client == client else {
        throw StreemFailure(.invalidGrant, "the token was issued to another client")
      }
      if let hash { transaction.delete(Self.key(ofAccess: hash)) } else { try await end(sid, in: &transaction) }
    }
  }

  /// Ends the grant with that name, and its tokens.
  func end(_ sid: Name, at now: WallTime) async throws(StreemFailure) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(StreemFailure) in
      try await end(sid, in: &transaction)
    }
  }

  private func end(_ sid: Name, in transaction: inout Transaction) async throws(StreemFailure) {
    guard let grant = try await transaction.get(Self.key(ofGrant: sid), as: OpenIDGrant.self) else { return }
    Self.delete(grant, in: &transaction)
  }

  /// Deletes a grant. Its account still names it until the account's next login.
  private static func delete(_ grant: OpenIDGrant, in transaction: inout Transaction) {
    transaction.delete(key(ofGrant: grant.sid))
    for hash in grant.accessHashes { transaction.delete(key(ofAccess: hash)) }
  }

  // MARK: Keys and counts

  private func counts(of row: OpenIDCodeRow) -> [StoreCount] {
    let bytes = 256 + (row.worth.map { $0.authorization.bytes + $0.user.text.utf8.count } ?? 0)
    return [
      StoreCount("streem.codes", atMost: settings.grantsMax, of: "codes"),
      StoreCount("streem.codes.bytes", atMost: settings.bytesMax, of: "bytes of codes", weight: bytes),
    ]
  }

  private static func key(ofCode code: String) -> StoreKey {
    codes.key(Base64URL.encode(SHA256.digest(code.utf8)))
  }

  private static func key(ofGrant sid: Name) -> StoreKey {
    grants.key(sid.text)
  }

  private static func key(ofAccess hash: [UInt8]) -> StoreKey {
    accesses.key(Base64URL.encode(hash))
  }

  private static func key(of account: OpenIDAccount) -> StoreKey {
    accounts.key(account.company.text, account.user.text)
  }
}
