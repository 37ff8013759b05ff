package import GatewayCore

// What requests do to users, and to those who are connected.

extension StreamRoutes {
  /// The user after `change`, with Stream's errors.
  package func update(
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

  /// Those of the users who are connected.
  package func online(_ users: [StreamUser]) async -> Set<UserID> {
    await services.connected(of: users.map(\.id))
  }

  /// The users as others see them: with whether they are connected.
  package func seen(_ users: [StreamUser]) async -> [StreamUser] {
    let online = await online(users)
    return users.map { user in
      var user = user
      user.isOnline = online.contains(user.id)
      return user
    }
  }

  /// Tells what became of the user.
  func tell(_ kind: StreamUserEvent.Kind, _ user: StreamUser, isHard: Bool = false, at now: WallTime) async {
    guard let user = await seen([user]).first else { return }
    await StreamUserEvent(kind: kind, user: user, at: now, isHard: isHard)
      .tell(on: services, StreamCallDirectory(directory.store))
  }

  /// 64 bits of the gateway's chance.
  func word() async -> UInt64 {
    let scale = Double(UInt64(1) << 32)
    return UInt64(await services.nextShare() * scale) << 32 | UInt64(await services.nextShare() * scale)
  }

  /// Ends the user's sessions whose token the user's revocation takes in.
  func enforceRevocation(of user: StreamUser) async {
    guard let limit = user.revokesTokensIssuedBefore else { return }
    await endSessions(of: user.id, issuedBefore: limit)
  }

  /// Tells the sessions of `user` (of everybody if nil) whose token was issued before `limit`, or has no date, that it
  /// was revoked: all of them if `limit` is nil.
  func endSessions(of user: UserID?, issuedBefore limit: WallTime? = nil) async {
    // Who has no token has none that could be revoked.
    let sessions = SessionFilter(
      user: user, dialects: StreamDialect.names.union(StreamSFUDialect.names),
      issuedBefore: limit.map(StreamToken.startOfSecond), takesAnonymous: false)
    _ = await services.control(sessions, .revoked)
  }
}
