internal import GatewayCore
internal import GatewayTokens

/// The logins that are waited for, the codes, and what they became: each step is atomic, and nothing secret is kept but
/// as a hash.
actor OpenIDGrants {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A used code is remembered for so long, so that a second use is noticed.
  private static let codeMemory = Duration.seconds(3600)
  private static let refreshPrefix = "prt_"
  private static let handleSize = 16
  private static let secretSize = 32

  private struct Login {
    let authorization: OpenIDAuthorization
    var wrongPasswords = 0
  }

  private struct Code {
    let authorization: OpenIDAuthorization
    let user: String
    let issuedAt: WallTime
    /// The grant it became.
    var grant: String?
    var isUsed = false
  }

  private let executor: any SerialExecutor
  private let settings: OpenIDSettings
  private var logins: ExpiringTable<String, Login>
  private var codes: ExpiringTable<[UInt8], Code>
  private var grants: ExpiringTable<String, OpenIDGrant>
  /// The grants of access tokens, by the tokens' hashes.
  private var accesses: ExpiringTable<[UInt8], String>

  init(on executor: any SerialExecutor, settings: OpenIDSettings) {
    self.executor = executor
    self.settings = settings
    logins = ExpiringTable(max: settings.requestsMax)
    codes = ExpiringTable(max: settings.grantsMax)
    grants = ExpiringTable(max: settings.grantsMax)
    accesses = ExpiringTable(max: settings.grantsMax)
  }

  private static func full() -> OpenIDError {
    OpenIDError(.temporarilyUnavailable, "too many logins at the moment")
  }

  // MARK: Logging in

  /// Keeps a request until somebody logs in; returns its name in the page's form.
  func begin(_ authorization: OpenIDAuthorization, at now: WallTime) throws(OpenIDError) -> String {
    guard logins.hasRoom(at: now) else { throw Self.full() }
    let id = Base64URL.encode(SecureRandom.bytes(Self.secretSize))
    logins.insert(Login(authorization: authorization), for: id, until: now + settings.requestLife)
    return id
  }

  /// The request of that name; nil if it has been answered, or was too long ago.
  func pending(_ id: String, at now: WallTime) -> OpenIDAuthorization? {
    logins.value(id, at: now)?.authorization
  }

  /// Ends a request that somebody gave up.
  func cancel(_ id: String) {
    logins.remove(id)
  }

  /// Counts a wrong password. False if it was the last try, which ends the request.
  func countWrongPassword(_ id: String, at now: WallTime) -> Bool {
    guard var login = logins.value(id, at: now) else { return false }
    login.wrongPasswords += 1
    if login.wrongPasswords >= settings.passwordTries {
      logins.remove(id)
      return false
    }
    logins.replace(id, login)
    return true
  }

  /// Ends the request with a code for its client; nil if somebody else has ended it meanwhile.
  func admit(_ user: String, to id: String, at now: WallTime) throws(OpenIDError) -> String? {
    guard let login = logins.value(id, at: now) else { return nil }
    guard codes.hasRoom(at: now) else { throw Self.full() }
    logins.remove(id)
    let code = Base64URL.encode(SecureRandom.bytes(Self.secretSize))
    codes.insert(
      Code(authorization: login.authorization, user: user, issuedAt: now), for: SHA256.digest(code.utf8),
      until: now + Self.codeMemory)
    return code
  }

  // MARK: Tokens

  /// What a code is worth, once. A second use ends what the first gave (RFC 6749 section 4.1.2), and a wrong verifier uses
  /// the code up: whoever has it was not who asked for it.
  func redeem(
    _ code: String, client: String, company: String, redirect: String?, verifier: String, at now: WallTime
  ) throws(OpenIDError) -> OpenIDTokens {
    let hash = SHA256.digest(code.utf8)
    let invalid = OpenIDError(.invalidGrant, "the code is unknown, expired, used, or another request's")
    guard var entry = codes.value(hash, at: now), entry.authorization.client == client,
      entry.authorization.company == company
    else { throw invalid }
    guard !entry.isUsed else {
      if let grant = entry.grant { grants.remove(grant) }
      throw invalid
    }
    entry.isUsed = true
    codes.replace(hash, entry)
    guard now < entry.issuedAt + settings.codeLife, redirect == entry.authorization.answer.redirect,
      OpenIDAuthorization.isVerifier(verifier, of: entry.authorization.challenge)
    else { throw invalid }
    guard grants.hasRoom(at: now) else { throw Self.full() }
    let tokens = try start(entry.authorization, entry.user, since: entry.issuedAt, at: now)
    entry.grant = tokens.grant.sid
    codes.replace(hash, entry)
    return tokens
  }

  private func start(
    _ authorization: OpenIDAuthorization, _ user: String, since: WallTime, at now: WallTime
  ) throws(OpenIDError) -> OpenIDTokens {
    let handle = SecureRandom.bytes(Self.handleSize)
    let isLasting = authorization.scopes.contains("offline_access")
    let grant = OpenIDGrant(
      sid: Self.sid(handle), issuer: authorization.answer.issuer, company: authorization.company,
      client: authorization.client, user: user, scopes: authorization.scopes, nonce: authorization.nonce,
      authenticatedAt: since, expiresAt: now + (isLasting ? settings.refreshLife : settings.accessLife))
    return try issue(grant, handle: isLasting ? handle : nil, at: now)
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
    accesses.insert(grant.sid, for: hash, until: end)
    grants.insert(grant, for: grant.sid, until: grant.expiresAt)
    return OpenIDTokens(grant: grant, access: access, refresh: refresh, expiresAt: end)
  }

  /// Fresh tokens for a refresh token, which is used up by it. One that was used before ends the grant: one of the two who
  /// have it has stolen it (RFC 9700 section 4.14.2).
  func refresh(
    _ token: String, client: String, company: String, scope: String?, at now: WallTime
  ) throws(OpenIDError) -> OpenIDTokens {
    let invalid = OpenIDError(.invalidGrant, "the refresh token is unknown, expired, used, or another client's")
    guard let (handle, secret) = Self.parts(token), let grant = grants.value(Self.sid(handle), at: now),
      grant.client == client, grant.company == company, let wanted = grant.refreshHash
    else { throw invalid }
    guard ConstantTime.areEqual(wanted, SHA256.digest(secret)) else {
      grants.remove(grant.sid)
      throw invalid
    }
    // A client may ask for less, which is granted as what was, and may not ask for more (RFC 6749 section 6).
    let asked = (scope ?? "").split(separator: " ").map(String.init)
    guard asked.allSatisfy(grant.scopes.contains) else {
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

  /// Ends an access token, or with a refresh token the whole grant (RFC 7009 section 2.1); nothing for what is unknown or
  /// another client's.
  func revoke(_ token: String, client: String, at now: WallTime) {
    if let hash = AccessToken.hash(of: token) {
      if grant(of: token, at: now)?.client == client { accesses.remove(hash) }
    } else if let (handle, _) = Self.parts(token) {
      let sid = Self.sid(handle)
      if grants.value(sid, at: now)?.client == client { grants.remove(sid) }
    }
  }

  /// Ends the grant of that name.
  func end(_ sid: String) {
    grants.remove(sid)
  }

  private static func sid(_ handle: [UInt8]) -> String {
    Base64URL.encode(Array(SHA256.digest(handle).prefix(handleSize)))
  }

  private static func parts(_ token: String) -> (handle: [UInt8], secret: [UInt8])? {
    guard token.hasPrefix(refreshPrefix), token.utf8.count == 68,
      let bytes = Base64URL.decode(String(token.dropFirst(refreshPrefix.count))),
      bytes.count == handleSize + secretSize
    else { return nil }
    return (Array(bytes.prefix(handleSize)), Array(bytes.dropFirst(handleSize)))
  }
}
