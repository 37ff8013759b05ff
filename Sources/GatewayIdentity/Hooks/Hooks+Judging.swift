internal import GatewayCore
internal import GatewayRuntime
internal import GatewayTokens

// The consequences of the backend's answers.

extension Hooks {
  /// Asks whether a client is let in.
  ///
  /// - Parameters:
  ///   - token: The client's token, verified; nil if the backend judges alone.
  ///   - credentials: The token as presented, and the data that the client sent.
  ///   - tellsData: Whether the backend's data reaches the client.
  ///   - mayRename: Whether the backend may give its user another name, if the settings allow it. Not on a live session, which
  ///     no other user's token may prolong.
  nonisolated(nonsending) func connect(
    _ seat: HookSeat, as token: VerifiedToken?, _ credentials: Credentials, tellsData: Bool, mayRename: Bool = false
  ) async -> Verdict {
    guard let loop = EventLoop.current else { return .failure(.identityUnavailable) }
    if settings.connect == nil, let token {
      settle(seat, by: token, .gone, on: loop)
      return .success(token)
    }
    var question = question(.connect, about: seat)
    (question.user, question.kind, question.token) = (token?.user, token?.kind, token)
    (question.data, question.presented) = (credentials.details?.unpacked(), presented(credentials))
    question.mayRename = settings.mayRename && mayRename
    // The trace is the upgrade's. What follows the login is none of it.
    question.trace = TraceScope.current?.context ?? seat.origin.trace
    seat.origin.trace = nil
    let acceptance: HookAnswer.Acceptance
    switch await ask(question, seat.origin.fields) {
    case .accepted(let accepted)?: acceptance = accepted
    case .expired?: return .failure(.tokenExpired)
    case .refused(let code, let text)?:
      forget(seat, token?.user)
      return .failure(.refused(code, text))
    case .closed(let reason)?:
      forget(seat, token?.user)
      return .failure(.applicationRefused.followed(by: .close(reason)))
    case nil:
      return token.flatMap { returned(seat, as: $0, on: loop) } ?? .failure(.identityUnavailable)
    }
    guard acceptance.user?.isEmpty != true else {
      forget(seat, token?.user)
      return .failure(.anonymousRefused.followed(by: .close(.anonymousRefused)))
    }
    guard var own = token ?? acceptance.user.map({ newToken(of: UserID($0)) }) else {
      return .failure(.identityUnavailable)
    }
    if mayRename { seat.renamed = nil }
    if let name = acceptance.user.map({ UserID($0) }), name != own.user {
      seat.renamed = (own.user, name)
      own.user = name
    }
    var token = own
    token.expiresAt = Self.earlier(own.expiresAt, acceptance.expireAt)
    if let end = token.expiresAt, end <= loop.wallTime { return .failure(.tokenExpired) }
    if tellsData { token.welcome = acceptance.data }
    seat.info = acceptance.info
    if settings.refresh == nil, settings.commands == nil {
      seat.origin = UpgradeOrigin(address: seat.origin.address, fields: [])
    }
    settle(seat, by: own, .gone, on: loop)
    admit(seat, seat.renamed?.user ?? own.user, .init(info: seat.info, name: seat.renamed?.name))
    return .success(token)
  }

  /// Asks whether a session goes on by another token.
  ///
  /// - Parameter endsWithToken: Whether the session ends with the token at the latest.
  nonisolated(nonsending) func refresh(
    _ seat: HookSeat, to token: VerifiedToken, _ credentials: Credentials, endsWithToken: Bool
  ) async -> Verdict {
    guard let loop = EventLoop.current else { return .failure(.identityUnavailable) }
    guard settings.refresh != nil else { return .success(token) }
    // A session on grace waits for its turn among all that were postponed.
    if seat.grace != nil, !mayAskPostponed(.refresh, at: loop.transport.now) {
      return prolonged(seat, by: token, endsWithToken: endsWithToken, on: loop)
    }
    switch await askRefresh(seat, token, presented(credentials), on: loop) {
    case .accepted(let acceptance)?:
      var accepted = token
      accepted.expiresAt = endsWithToken ? Self.earlier(token.expiresAt, acceptance.expireAt) : acceptance.expireAt
      if let end = accepted.expiresAt, end <= loop.wallTime { return .failure(.tokenExpired.followed(by: .ask)) }
      if let info = acceptance.info { seat.info = info }
      settle(seat, by: token, .accepted, on: loop)
      return .success(accepted)
    case .expired?: return .failure(.tokenExpired.followed(by: .ask))
    case .refused(let code, let text)?:
      forget(seat, seat.admitted?.user)
      return .failure(.refused(code, text))
    case .closed(let reason)?:
      forget(seat, seat.admitted?.user)
      return .failure(.applicationRefused.followed(by: .close(reason)))
    case nil: return prolonged(seat, by: token, endsWithToken: endsWithToken, on: loop)
    }
  }

  /// Asks whether a session goes on by its token, or by another.
  ///
  /// - Parameter presented: The token as the client has presented it, if the backend gets it.
  nonisolated(nonsending) func askRefresh(
    _ seat: HookSeat, _ token: VerifiedToken, _ presented: String? = nil, on loop: EventLoop
  ) async -> HookAnswer? {
    guard TraceScope.current == nil, let traces = gateway.tables[seat.connection.loop].traces else {
      return await askRefreshInScope(seat, token, presented, on: loop)
    }
    // The gateway's own question is a trace of its own.
    let trail = traces.refresh(of: seat.connection.serial, dialect: seat.dialect)
    let answer = await TraceScope.$current.withValue(trail.scope) {
      await askRefreshInScope(seat, token, presented, on: loop)
    }
    trail.end(user: token.user)
    return answer
  }

  private nonisolated(nonsending) func askRefreshInScope(
    _ seat: HookSeat, _ token: VerifiedToken, _ presented: String?, on loop: EventLoop
  ) async -> HookAnswer? {
    var question = question(.refresh, about: seat)
    question.trace = TraceScope.current?.context
    (question.user, question.kind, question.token, question.meta) = (token.user, token.kind, token, seat.info)
    question.presented = presented
    question.expiresAt = grant(of: seat).flatMap { Self.end(of: $0, on: loop) }
    return await ask(question, seat.origin.fields)
  }

  /// Asks whether a user may do what a command says.
  nonisolated(nonsending) func ask(about command: String, _ channel: String, of caller: Caller) async -> HookAnswer? {
    guard let table = gateway.table(of: caller.connection) else { return nil }
    let found = await table.perform { [self] _ in
      seat(of: caller.connection).map { seat in
        var question = question(.commands, about: seat)
        (question.user, question.kind, question.meta) = (caller.user, caller.kind, seat.info)
        return Asking(question: question, fields: seat.origin.fields)
      }
    }
    guard var asking = found else { return nil }
    asking.question.command = (command, channel)
    return await ask(asking.question, asking.fields)
  }

  private struct Asking: Sendable {
    var question: HookQuestion
    let fields: [HTTPField]
  }

  /// Returns what the backend gets of the token itself; nil for nothing. It is kept no longer than the question.
  private func presented(_ credentials: Credentials) -> String? {
    settings.sendsToken && !credentials.token.isEmpty ? credentials.token : nil
  }

  func question(_ hook: Hook, about seat: HookSeat) -> HookQuestion {
    HookQuestion(hook: hook, connection: seat.connection, dialect: seat.dialect, address: seat.origin.address)
  }

  /// Returns the end of a grant; nil for never.
  static func end(of grant: Grant, on loop: EventLoop) -> WallTime? {
    grant.expiresAt == .distantFuture ? nil : loop.wallTime + (grant.expiresAt - loop.now)
  }

  private static func earlier(_ one: WallTime?, _ other: WallTime?) -> WallTime? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
