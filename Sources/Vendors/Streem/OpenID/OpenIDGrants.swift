internal import GatewayCore
internal import GatewayTokens

/// The logins that succeeded, as codes and what they became, and the wrong passwords: each step is atomic, and nothing
/// secret is kept but as a hash. Of a login that has not succeeded nothing is kept.
actor OpenIDGrants {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A used code is remembered for so long, so that a second use is noticed.
  private static let codeMemory = Duration.seconds(3600)
  /// The access tokens of one grant that are good at a time; the oldest ends for the next.
  private static let accessesMax = 4
  private static let refreshPrefix = "prt_"
  private static let handleSize = 16
  private static let secretSize = 32

  private enum Code {
    case fresh(OpenIDAuthorization, user: Name, issuedAt: WallTime)
    /// With the grant it became, if it became one.
    case used(by: (client: Name, company: Name), grant: Name?)
  }

  private let executor: any SerialExecutor
  private let settings: OpenIDSettings
  private var addresses: AddressQuota
  private var tries: OpenIDTries
  private var codes: ExpiringTable<[UInt8], Code>
  private var grants: ExpiringTable<Name, OpenIDGrant>
  /// The names of each account's grants, oldest first; some may be gone.
  private var ofAccount: [OpenIDAccount: [Name]] = [:]
  /// The grants of access tokens, by the tokens' hashes.
  private var accesses: ExpiringTable<[UInt8], Name>

  init(on executor: any SerialExecutor, settings: OpenIDSettings) {
    self.executor = executor
    self.settings = settings
    addresses = AddressQuota(perMinute: settings.loginsPerMinute)
    tries = OpenIDTries(max: settings.tries, window: settings.triesWindow)
    codes = ExpiringTable(max: settings.grantsMax, bytesMax: settings.bytesMax)
    grants = ExpiringTable(max: settings.grantsMax, bytesMax: settings.bytesMax)
    accesses = ExpiringTable(max: settings.grantsMax * Self.accessesMax)
  }

  private static func full() -> OpenIDError {
    OpenIDError(.temporarilyUnavailable, "too many logins at the moment")
  }

  // MARK: Logging in

  /// What the login form came to.
  enum Admission {
    /// With a code for the client.
    case admitted(code: String)
    case wrong
    /// Nothing was looked at: too many tries for the account, or from the address.
    case wait(Duration)
  }

  /// Counts a login form that came from `address`. Nobody learns whether the password was right where there were too many
  /// tries, and many forms at once are counted one after the other.
  func admit(
    _ account: OpenIDAccount, to authorization: OpenIDAuthorization, isRight: Bool, isKnown: Bool,
    from address: String, at now: WallTime
  ) throws(OpenIDError) -> Admission {
    if let wait = addresses.take(address, at: Instant(nanoseconds: now.nanoseconds)) { return .wait(wait) }
    if let wait = tries.wait(account, isKnown: isKnown, at: now) { return .wait(wait) }
    guard isRight else {
      tries.countWrong(account, isKnown: isKnown, at: now)
      return .wrong
    }
    let bytes = authorization.bytes + account.user.text.utf8.count
    guard codes.hasRoom(for: bytes, at: now) else { throw Self.full() }
    let code = Base64URL.encode(SecureRandom.bytes(Self.secretSize))
    codes.insert(
      .fresh(authorization, user: account.user, issuedAt: now), for: SHA256.digest(code.utf8), bytes: bytes,
      until: now + settings.codeLife)
    return .admitted(code: code)
  }

  // MARK: Tokens

  /// What a code is worth, once. A second use ends what the first gave (RFC 6749 section 4.1.2), and a wrong verifier uses
  /// the code up: whoever has it was not who asked for it.
  func redeem(
    _ code: String, client: Name, company: Name, redirect: Name?, verifier: String, at now: WallTime
  ) throws(OpenIDError) -> OpenIDTokens {
    let hash = SHA256.digest(code.utf8)
    let invalid = OpenIDError(.invalidGrant, "the code is unknown, expired, used, or another request's")
    switch codes.value(hash, at: now) {
    case .fresh(let authorization, let user, let issuedAt)
    where authorization.client == client && authorization.company == company:
      var grant: Name?
      defer {
        codes.insert(.used(by: (client, company), grant: grant), for: hash, until: issuedAt + Self.codeMemory)
      }
      guard redirect == authorization.answer.redirect,
        OpenIDAuthorization.isVerifier(verifier, of: authorization.challenge)
      else { throw invalid }
      let tokens = try start(authorization, user, since: issuedAt, at: now)
      grant = tokens.grant.sid
      return tokens
    case .used(let owner, let grant) where owner == (client, company):
      if let grant { end(grant) }
      throw invalid
    default:
      throw invalid
    }
  }

  private func start(
    _ authorization: OpenIDAuthorization, _ user: Name, since: WallTime, at now: WallTime
  ) throws(OpenIDError) -> OpenIDTokens {
    let handle = SecureRandom.bytes(Self.handleSize)
    let isLasting = authorization.scopes.contains("offline_access")
    let grant = OpenIDGrant(
      sid: Self.sid(handle), issuer: authorization.answer.issuer, company: authorization.company,
      client: authorization.client, user: user, scopes: authorization.scopes, nonce: authorization.nonce,
      authenticatedAt: since, expiresAt: now + (isLasting ? settings.refreshLife : settings.accessLife))
    makeRoom(in: grant.account, at: now)
    guard grants.hasRoom(for: grant.bytes, at: now) else { throw Self.full() }
    ofAccount[grant.account, default: []].append(grant.sid)
    return try issue(grant, handle: isLasting ? handle : nil, at: now)
  }

  /// Ends the account's oldest grants, so that it may have one more.
  private func makeRoom(in account: OpenIDAccount, at now: WallTime) {
    if ofAccount.count >= settings.grantsMax {
      ofAccount = ofAccount.filter { $0.value.contains { grants.value($0, at: now) != nil } }
    }
    var sids = (ofAccount[account] ?? []).filter { grants.value($0, at: now) != nil }
    while sids.count >= settings.grantsPerUserMax { end(sids.removeFirst()) }
    ofAccount[account] = sids.isEmpty ? nil : sids
  }

  /// New tokens of a grant, whose older refresh token is no good from now on.
  private func issue(_ grant: OpenIDGrant, handle: [UInt8]?, at now: WallTime) throws(OpenIDError) -> OpenIDTokens {
    guard accesses.hasRoom(at: now) else { throw Self.full() }
    var grant = grant
    let refresh = handle.map { handle in
      let secret = SecureRandom.bytes(Self.secretSize)
      grant.refreshHash = SHA256.digest(secret)
      return Self.refreshPrefix + Base64URL.encode(handle + secret)
    }
    let (access, hash) = AccessToken.mint()
    let end = min(now + settings.accessLife, grant.expiresAt)
    grant.accessHashes.append(hash)
    while grant.accessHashes.count > Self.accessesMax { accesses.remove(grant.accessHashes.removeFirst()) }
    accesses.insert(grant.sid, for: hash, until: end)
    grants.insert(grant, for: grant.sid, bytes: grant.bytes, until: grant.expiresAt)
    return OpenIDTokens(grant: grant, access: access, refresh: refresh, expiresAt: end)
  }

  /// Fresh tokens for a refresh token, which is used up by it. One that was used before ends the grant: one of the two who
  /// have it has stolen it (RFC 9700 section 4.14.2).
  func refresh(
    _ token: String, client: Name, company: Name, scope: String?, at now: WallTime
  ) throws(OpenIDError) -> OpenIDTokens {
    let invalid = OpenIDError(.invalidGrant, "the refresh token is unknown, expired, used, or another client's")
    guard let (handle, secret) = Self.parts(token), let grant = grants.value(Self.sid(handle), at: now),
      grant.client == client, grant.company == company, let wanted = grant.refreshHash
    else { throw invalid }
    guard ConstantTime.areEqual(wanted, SHA256.digest(secret)) else {
      end(grant.sid)
      throw invalid
    }
    // A client may ask for less, which is granted as what was, and may not ask for more (RFC 6749 section 6).
    guard OpenIDAuthorization.scopes(in: scope ?? "").allSatisfy(grant.scopes.contains) else {
      throw OpenIDError(.invalidScope, "the scope is wider than what was granted")
    }
    return try issue(grant, handle: handle, at: now)
  }

  /// What an access token stands for; nil if it is none, or no longer.
  func grant(of access: String, at now: WallTime) -> OpenIDGrant? {
    guard let hash = AccessToken.hash(of: access), let sid = accesses.value(hash, at: now) else { return nil }
    return grants.value(sid, at: now)
  }

  // MARK: Ending

  /// Ends an access token, or with a refresh token the whole grant (RFC 7009 section 2.1). Nothing comes of a token that is
  /// unknown here; one of another client stays good, and is refused.
  func revoke(_ token: String, client: Name, company: Name, at now: WallTime) throws(OpenIDError) {
    let hash = AccessToken.hash(of: token)
    let sid = hash.flatMap { accesses.value($0, at: now) } ?? Self.parts(token).map { Self.sid($0.handle) }
    guard let sid, let grant = grants.value(sid, at: now), grant.company == company else { return }
    guard grant.client == client else {
      throw OpenIDError(.invalidGrant, "the token was issued to another client")
    }
    if let hash { accesses.remove(hash) } else { end(sid) }
  }

  /// Ends the grant of that name, and its tokens.
  func end(_ sid: Name) {
    guard let grant = grants.remove(sid) else { return }
    for hash in grant.accessHashes { accesses.remove(hash) }
    ofAccount[grant.account]?.removeAll { $0 == sid }
    if ofAccount[grant.account]?.isEmpty == true { ofAccount[grant.account] = nil }
  }

  private static func sid(_ handle: [UInt8]) -> Name {
    Name(Base64URL.encode(Array(SHA256.digest(handle).prefix(handleSize))))
  }

  private static func parts(_ token: String) -> (handle: [UInt8], secret: [UInt8])? {
    guard token.utf8.starts(with: refreshPrefix.utf8), token.utf8.count == 68,
      let bytes = Base64URL.decode(String(Substring(token.utf8.dropFirst(refreshPrefix.utf8.count)))),
      bytes.count == handleSize + secretSize
    else { return nil }
    return (Array(bytes.prefix(handleSize)), Array(bytes.dropFirst(handleSize)))
  }
}
