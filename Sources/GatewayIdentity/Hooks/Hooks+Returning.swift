internal import GatewayCore
internal import GatewayRuntime
internal import GatewayTokens

// Clients that renew their token by a new connection, while the backend cannot be asked about it.

extension Hooks {
  /// Returns the verdict on a client that the backend has admitted and that comes back while the backend cannot be asked: the
  /// session goes on for a while, as that of a client that refreshes. Nil for any other client.
  ///
  /// - Parameter token: The client's token, verified.
  func returned(_ seat: HookSeat, as token: VerifiedToken, on loop: EventLoop) -> Verdict? {
    guard seat.returns else { return nil }
    let key = HookReturns.Key(dialect: Name(seat.dialect), user: token.user)
    guard var admission = returns.admission(of: key, at: loop.now) else { return nil }
    let closeAt = admission.closeAt ?? closing(on: loop)
    admission.closeAt = closeAt
    var own = token
    if let name = admission.name {
      seat.renamed = (own.user, name)
      own.user = name
    }
    seat.info = admission.info
    let verdict = prolonged(seat, by: own, endsWithToken: true, until: closeAt, on: loop)
    if case .success = verdict { admit(seat, token.user, admission) }
    return verdict
  }

  /// Takes note that a client may come back.
  ///
  /// - Parameter user: The user of the client's token.
  func admit(_ seat: HookSeat, _ user: UserID, _ admission: HookReturns.Admission) {
    // The client may have left while the backend was asked.
    guard seat.returns, seat.admitted == nil, self.seat(of: seat.connection) === seat else { return }
    let key = HookReturns.Key(dialect: Name(seat.dialect), user: user)
    seat.admitted = key
    returns.admit(key, as: admission)
  }

  /// Takes note that a user may not come back.
  func forget(_ seat: HookSeat, _ user: UserID?) {
    guard seat.returns, let user else { return }
    returns.forget(HookReturns.Key(dialect: Name(seat.dialect), user: user))
  }

  /// Asks about a session on grace. Without a hook for refreshes, asks again what was asked when its client connected, but for
  /// the client's own data.
  nonisolated(nonsending) func askAgain(
    _ seat: HookSeat, _ token: VerifiedToken, on loop: EventLoop
  ) async -> HookAnswer? {
    guard settings.refresh == nil else {
      guard mayAskPostponed(.refresh, at: loop.transport.now) else { return nil }
      return await askRefresh(seat, token, on: loop)
    }
    guard mayAskPostponed(.connect, at: loop.transport.now) else { return nil }
    var question = question(.connect, about: seat)
    var own = token
    own.user = seat.renamed?.user ?? token.user
    (question.user, question.kind, question.token) = (own.user, own.kind, own)
    question.mayRename = settings.mayRename
    let answer = await ask(question, seat.origin.fields)
    guard case .accepted(let acceptance)? = answer, let user = acceptance.user else { return answer }
    if user.isEmpty { return .closed(.anonymousRefused) }
    // The session has its name, so a client with another one begins anew.
    return UserID(user) == token.user ? answer : .closed(.overloaded)
  }
}
