internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// The logins of a Sendbird application: its sessions and their keys.
///
/// Runs on the directory's executor, so that a login or refresh changes the loop at most once. The token alone was
/// checked before on the connection's loop.
actor SendbirdSessions {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  let settings: SendbirdSettings
  let directory: SendbirdDirectory
  private let channels: SendbirdChannels
  /// The signer and verifier of session keys and session tokens, with the application's secret.
  let signer: JWTSigner
  private var generator: SeededGenerator
  /// The rate limit of logins, with bursts of one second; nil until the first login, and without a limit.
  private var rate: TokenBucket?
  /// How many users one address may create by logging in by name alone.
  var newUsers: AddressQuota?
  let tallies: SendbirdLoginTallies
  let table: SendbirdSessionTable
  /// The users' connections to this process with their sessions. Kept in memory only, since connections end with the process.
  var connections: [UserID: [ConnectionID: UInt64]] = [:]
  var elsewhere = SendbirdElsewhere()
  /// The time of the last look whether connections to other nodes have ended unnoticed.
  private var lookedAt: WallTime?
  /// The services that tell which connections have ended unnoticed.
  let services: any GatewayServices

  init(
    _ store: any Store, on executor: any SerialExecutor, settings: SendbirdSettings, directory: SendbirdDirectory,
    channels: SendbirdChannels, signer: JWTSigner, services: any GatewayServices,
    generator: SeededGenerator, tallies: SendbirdLoginTallies
  ) {
    self.executor = executor
    self.settings = settings
    self.directory = directory
    self.channels = channels
    self.signer = signer
    self.services = services
    self.generator = generator
    self.tallies = tallies
    newUsers = settings.newUsersPerMinuteMax.map { AddressQuota(perMinute: $0) }
    table = SendbirdSessionTable(store, on: executor, countMax: settings.sessionsMax)
  }

  // MARK: Logging in

  private func isWithinRate(at now: WallTime) -> Bool {
    guard takesLogin(at: now) else { return false }
    if settings.loginsPerSecond != nil { tallies.logins.tell("") }
    return true
  }

  /// Counts a login at any node. Returns false if it is above the limit.
  func takesLogin(at now: WallTime) -> Bool {
    guard let perSecond = settings.loginsPerSecond, perSecond > 0 else { return true }
    let now = Instant(nanoseconds: now.nanoseconds)
    var bucket = rate ?? TokenBucket(rate: perSecond, capacity: max(1, perSecond), at: now)
    defer { rate = bucket }
    return bucket.take(at: now)
  }

  /// Verifies a login; the verdict's welcome is the payload of `LOGI`.
  func logIn(_ login: SendbirdLogin, at now: WallTime) async -> Verdict {
    guard settings.isForUs(login.applicationID) else { return .failure(.applicationUnknown) }
    if login.connection != nil, !isWithinRate(at: now) { return .failure(.overloaded) }
    if let user = login.user, user.rawValue.unicodeScalars.count > Self.userIDLengthMax {
      return .failure(.userNameTooLong.detailed("\(Self.userIDLengthMax) characters at most"))
    }
    do throws(GatewayError) {
      guard let key = login.key else { return .success(try await logInByToken(login, at: now)) }
      do throws(GatewayError) {
        return .success(try await resume(key, login, at: now))
      } catch {
        // A valid key decides; a token beside it is used if the key is invalid.
        guard login.token != .none, login.user != nil else { throw error }
        return .success(try await logInByToken(login, at: now))
      }
    } catch {
      return .failure(error)
    }
  }

  private static let userIDLengthMax = 80

  private func logInByToken(_ login: SendbirdLogin, at now: WallTime) async throws(GatewayError) -> VerifiedToken {
    guard let name = login.user, !name.rawValue.isEmpty else {
      throw .credentialsMissing.detailed("user_id is missing")
    }
    guard name != .anonymous else { throw .anonymousRefused }
    let request = login.connection == nil ? SendbirdTokenRequest.login : nil
    let (user, token, kind) = try await admit(name, login.token, for: request, from: login.address, at: now)
    try await checkConnectionCount(of: name, login.connection, at: now)
    let key = try await open(
      name, kind, token, isExpiring: login.isExpiring, isForHTTP: login.connection == nil, at: now)
    return try await enter(key, user, login.connection, at: now)
  }

  /// Opens a session; returns its first key.
  func open(
    _ user: UserID, _ kind: UserKind, _ token: SendbirdAcceptedToken, isExpiring: Bool, isForHTTP: Bool,
    at now: WallTime
  ) async throws(GatewayError) -> SendbirdSessionKey {
    let session = SendbirdSession(
      user: user, kind: kind, isForHTTP: isForHTTP, begunAt: now, isExpiring: isExpiring, token: token,
      keyEnd: SendbirdSession.keyEnd(isExpiring: isExpiring, at: now, settings))
    while true {
      let id = generator.next()
      if try await table.open(session, as: id, at: now) { return SendbirdSessionKey(id, session) }
    }
  }

  /// Logs in with a session key: the session continues, and its end stays the same.
  private func resume(
    _ key: String, _ login: SendbirdLogin, at now: WallTime
  ) async throws(GatewayError) -> VerifiedToken {
    let found = try await find(key, at: now)
    guard login.user == nil || login.user == found.session.user else { throw .sessionUnknown }
    let user = try await check(found.session, at: now)
    try await checkConnectionCount(of: found.session.user, login.connection, at: now)
    return try await enter(try await remember(found, at: now), user, login.connection, at: now)
  }

  /// Restores a session from its key if it is not stored; returns its current key.
  private func remember(_ key: SendbirdSessionKey, at now: WallTime) async throws(GatewayError) -> SendbirdSessionKey {
    SendbirdSessionKey(key.id, try await table.restore(key, at: now))
  }

  private func enter(
    _ key: SendbirdSessionKey, _ user: SendbirdUser, _ connection: ConnectionID?, at now: WallTime
  ) async throws(GatewayError) -> VerifiedToken {
    if let connection {
      // Other connections may have been added since they were counted.
      guard !isFull(user.id) else { throw Self.tooManyConnections }
      connections[user.id, default: [:]][connection] = key.id
      tell("in", connection, of: user.id)
    }
    if connection != nil && !user.hasEverLoggedIn {
      _ = try? await directory.updateUser(user.id, at: now) { $0.hasEverLoggedIn = true }
    }
    return try await welcome(key, user, isRefresh: false, at: now)
  }

  /// Returns the session with the answer to its login or refresh.
  func welcome(
    _ key: SendbirdSessionKey, _ user: SendbirdUser, isRefresh: Bool, at now: WallTime
  ) async throws(GatewayError) -> VerifiedToken {
    let unread: SendbirdUnread
    do throws(SendbirdChannelRefusal) { unread = try await channels.unread(user.id, at: now) } catch {
      throw .storeUnavailable
    }
    let welcome = SendbirdWelcome(
      user: user, key: key.text(signer: signer), isRefresh: isRefresh, fileKey: key.fileKey(signer: signer),
      end: key.session.end, unread: unread, now: now, settings: settings)
    return key.session.verified(welcome: welcome.text, settings)
  }

  /// Throws if the user has as many connections as allowed.
  private func checkConnectionCount(
    of user: UserID, _ connection: ConnectionID?, at now: WallTime
  ) async throws(GatewayError) {
    guard connection != nil, isFull(user) else { return }
    // If a client disconnected during its login, its end was not reported.
    for other in (connections[user] ?? [:]).keys where await services.user(of: other) == nil { ended(other, of: user) }
    if isFull(user), lookedAt.map({ now >= $0 + Self.glance }) ?? true {
      lookedAt = now
      for other in elsewhere[user] where await services.user(of: other) == nil { elsewhere.remove(other, of: user) }
    }
    guard !isFull(user) else { throw Self.tooManyConnections }
  }

  /// The shortest time between two looks, each of which asks another node about each connection of a user.
  private static let glance = Duration.milliseconds(100)

  /// Whether the user has as many connections as allowed, at all nodes.
  private func isFull(_ user: UserID) -> Bool {
    (connections[user] ?? [:]).count + elsewhere[user].count >= settings.connectionsPerUserMax
  }

  private static let tooManyConnections = GatewayError.tooMany.detailed("connections of the user")

  /// Removes an ended connection. Its session stays: the key opens the next connection.
  func ended(_ connection: ConnectionID, of user: UserID) {
    guard connections[user]?.removeValue(forKey: connection) != nil else { return }
    if connections[user]?.isEmpty == true { connections[user] = nil }
    tell("out", connection, of: user)
  }

  // MARK: Users

  /// Counts a user who is created without a token; throws if the address has created too many.
  func countNewUser(from address: String, at now: WallTime) throws(GatewayError) {
    guard let wait = newUsers?.take(address, at: Instant(nanoseconds: now.nanoseconds)) else {
      if newUsers != nil { tallies.newUsers.tell(address) }
      return
    }
    let seconds = wait.milliseconds / 1_000 + 1
    throw .overloaded.because(SendbirdError.tooFast).detailed("new users by name alone, again in \(seconds) s")
  }

  /// The number of users that were not created because their address had created too many.
  var newUsersRefused: UInt64 { newUsers?.refusals ?? 0 }

  /// Returns the user with that id, created if there is none.
  func makeUser(_ id: UserID, hasToken: Bool, at now: WallTime) async throws(GatewayError) -> SendbirdUser {
    do throws(GatewayError) {
      return try await directory.getOrCreateUser(id, hasToken: hasToken, at: now)
    } catch {
      throw error.isSame(as: .tooMany) ? error.because(SendbirdError.noRoom) : error
    }
  }

  // MARK: Session keys

  /// Returns the session of a key that is valid at `now`: the stored one, or else the one in the key.
  private func find(_ text: String, at now: WallTime) async throws(GatewayError) -> SendbirdSessionKey {
    guard let key = SendbirdSessionKey(text, signer: signer) else { throw .sessionUnknown }
    var session = key.session
    if let known = try await table.session(key.id, of: session.user, at: now), known.generation >= session.generation {
      session = known
    } else if let grace = settings.keyGrace {
      session.previousKeyEnd = session.begunAt + grace
    }
    guard !session.hasEnded(at: now), session.accepts(key.session.generation, at: now) else { throw session.refusal }
    // The session ends with its token.
    let refusal = await services.refusal(of: session.verified(welcome: nil, settings))
    if refusal?.isSame(as: .tokenExpired) == true { throw session.refusal }
    return SendbirdSessionKey(key.id, session)
  }

  /// Returns the user of a session if the user may still log in with it. A user that a restarted gateway does not know
  /// is created again.
  private func check(_ session: SendbirdSession, at now: WallTime) async throws(GatewayError) -> SendbirdUser {
    let user: SendbirdUser
    if let known = try await directory.user(session.user, at: now) {
      user = known
    } else {
      guard try await !directory.wasDeleted(session.user, at: now) else { throw .userUnknown }
      user = try await makeUser(session.user, hasToken: session.token.form != .none, at: now)
    }
    guard user.isActive else { throw .userDeactivated }
    guard !session.token.isRevoked(for: user) else { throw .tokenRevoked }
    return user
  }

  /// Returns the session of the key that a caller over HTTP presents.
  func caller(key: String, at now: WallTime) async throws(GatewayError) -> SendbirdKeyHolder {
    let session = try await find(key, at: now).session
    _ = try await check(session, at: now)
    return SendbirdKeyHolder(
      token: session.verified(welcome: nil, settings),
      needsConnection: settings.needsConnectionOverHTTP && !session.isForHTTP)
  }
}

/// The user of a session key.
struct SendbirdKeyHolder: Hashable, Sendable {
  let token: VerifiedToken
  /// Whether the key is valid over HTTP only while its user has a connection.
  let needsConnection: Bool
}
