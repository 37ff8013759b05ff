internal import GatewayCore

// Effects of requests on users and their connections.

extension StreamRoutes {
  /// Returns the user after `change`, with Stream's errors.
  func update(
    _ id: UserID, creates: Bool, at now: WallTime, _ change: StreamDirectory.Change
  ) async throws(StreamError) -> StreamUser {
    do throws(GatewayError) {
      return try await directory.updateUser(id, creates: creates, at: now) { (user, app) throws(GatewayError) in
        user.takeRoleIfNew(at: now)
        try change(&user, app)
      }
    } catch {
      throw error.isSame(as: .userUnknown)
        ? .doesNotExist("user with id \(id) does not exist") : StreamError(error)
    }
  }

  /// Returns the users that are connected.
  func online(_ users: [StreamUser]) async -> Set<UserID> {
    await services.connected(of: users.map(\.id))
  }

  /// Returns the users as others see them, with whether they are connected.
  func seen(_ users: [StreamUser]) async -> [StreamUser] {
    let online = await online(users)
    return users.map { user in
      var user = user
      user.isOnline = online.contains(user.id)
      return user
    }
  }

  /// Sends an event about the user.
  func tell(_ kind: StreamUserEvent.Kind, _ user: StreamUser, isHard: Bool = false, at now: WallTime) async {
    guard let user = await seen([user]).first else { return }
    await StreamUserEvent(kind: kind, user: user, at: now, isHard: isHard)
      .tell(on: services, StreamCallDirectory(directory.store), directory.webhooks)
  }

  /// Returns 64 random bits of the gateway.
  func word() async -> UInt64 {
    let scale = Double(UInt64(1) << 32)
    return UInt64(await services.nextShare() * scale) << 32 | UInt64(await services.nextShare() * scale)
  }

  /// Ends the user's sessions whose token the user's revocation covers.
  func enforceRevocation(of user: StreamUser) async {
    guard let limit = user.revokesTokensIssuedBefore else { return }
    await endSessions(of: user.id, issuedBefore: limit)
  }

  /// Revokes the tokens of sessions of `user` (of all users if nil): those issued before `limit` or without a date, or
  /// all if `limit` is nil.
  func endSessions(of user: UserID?, issuedBefore limit: WallTime? = nil) async {
    // A session without a token has none that could be revoked.
    let sessions = SessionFilter(
      user: user, dialects: StreamDialect.names.union(StreamSFUDialect.names),
      issuedBefore: limit.map(StreamToken.startOfSecond), takesAnonymous: false)
    _ = await services.control(sessions, .revoked)
  }
}
