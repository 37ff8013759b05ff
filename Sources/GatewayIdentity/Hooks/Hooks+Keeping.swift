internal import GatewayCore
internal import GatewayRuntime

// The gateway's own work for a session: it asks the backend before it would ask the client, and extends the session while the
// backend is unavailable.

extension Hooks {
  /// The time before a client would be asked, in which the backend is.
  private static let lead = Duration.seconds(10)
  private static let leastPause = Duration.seconds(1)
  /// How soon a session is looked at again that does not live by the token that it is kept for.
  private static let strangerPause = Duration.seconds(5)
  /// The time over which sessions are closed whose grace ends.
  private static let closingSpan = Duration.seconds(60)

  /// Returns the grant of a session. Only on its loop.
  func grant(of seat: HookSeat) -> Grant? { connection(of: seat)?.grant }

  private func connection(of seat: HookSeat) -> Connection? {
    guard self.seat(of: seat.connection) === seat else { return nil }
    return gateway.table(of: seat.connection)?.connection(seat.connection)
  }

  /// Takes note that a session goes on by a token.
  ///
  /// - Parameter ending: How a grace ends with that.
  func settle(_ seat: HookSeat, by token: VerifiedToken, _ ending: HookCounts.Ending, on loop: EventLoop) {
    let isKept = settings.refresh != nil && settings.refresher == .gateway
    seat.token = isKept ? token : nil
    if ending == .accepted, let user = seat.admitted { returns.confirm(user, info: seat.info) }
    if isKept {
      seat.take(.refresh(due: nil), wakingAt: loop.now, ending: ending, on: loop)
    } else {
      seat.take(.none, wakingAt: nil, ending: ending, on: loop)
    }
  }

  /// Returns the verdict on a token while the backend cannot be asked: the session goes on for a while.
  ///
  /// - Parameter closing: When the session is closed if the backend is still away and no earlier grace says it; nil for the
  ///   longest grace from now on.
  func prolonged(
    _ seat: HookSeat, by token: VerifiedToken, endsWithToken: Bool, until closing: Instant? = nil, on loop: EventLoop
  ) -> Verdict {
    let closeAt = seat.grace?.closeAt ?? closing ?? self.closing(on: loop)
    guard loop.now < closeAt else { return .failure(.identityUnavailable) }
    let current = grant(of: seat).map { Self.end(of: $0, on: loop) ?? .init(nanoseconds: .max) }
    let bound = endsWithToken ? token.expiresAt : nil
    let wanted = max(loop.wallTime + settings.grace, current ?? .init(nanoseconds: .min))
    let until = min(wanted, bound ?? .init(nanoseconds: .max))
    seat.token = token
    take(HookSeat.Grace(until: until, bound: bound, closeAt: closeAt), seat, on: loop)
    return .success(token.ending(at: until))
  }

  func closing(on loop: EventLoop) -> Instant {
    guard let longest = settings.graceMax else { return .distantFuture }
    return loop.now + longest + Self.closingSpan * loop.nextShare()
  }

  private func take(_ grace: HookSeat.Grace, _ seat: HookSeat, on loop: EventLoop) {
    // A third of the time at most, each session at its own, so that a wave of them does not ask at once.
    let pause = settings.grace / 3 * (0.5 + loop.nextShare() / 2)
    seat.take(.grace(grace), wakingAt: min(loop.now + pause, grace.closeAt), ending: .gone, on: loop)
  }

  /// Does what is due for a session. Only on its loop.
  func review(_ seat: HookSeat) {
    guard let loop = EventLoop.current, let connection = connection(of: seat), let token = seat.token else { return }
    if case .grace(let grace) = seat.duty, loop.now >= grace.closeAt {
      seat.take(.none, wakingAt: nil, ending: .outage, on: loop)
      forget(seat, seat.admitted?.user)
      connection.give(.disconnect(.overloaded))
      return
    }
    // The session may not have heard the verdict yet, or have refused it.
    guard let grant = connection.grant, grant.fingerprint == token.fingerprint else {
      seat.take(seat.duty, wakingAt: loop.now + Self.strangerPause, ending: .gone, on: loop)
      return
    }
    switch seat.duty {
    case .none: break
    case .refresh(let due):
      if due == grant.askAt {
        begin(for: seat) { [self] in await renew(seat, token, on: loop) }
      } else {
        plan(seat, grant, on: loop)
      }
    case .grace:
      begin(for: seat) { [self] in await tryAgain(seat, token, on: loop) }
    }
  }

  private func plan(_ seat: HookSeat, _ grant: Grant, on loop: EventLoop) {
    guard grant.askAt != .distantFuture else {
      return seat.take(.refresh(due: nil), wakingAt: nil, ending: .gone, on: loop)
    }
    let half = Duration.nanoseconds((grant.askAt - loop.now).nanoseconds / 2)
    let time = max(loop.now + max(half, Self.leastPause), grant.askAt - Self.lead)
    seat.take(.refresh(due: grant.askAt), wakingAt: time, ending: .gone, on: loop)
  }

  /// Asks before the client would be asked.
  private nonisolated(nonsending) func renew(_ seat: HookSeat, _ token: VerifiedToken, on loop: EventLoop) async {
    let answer = await askRefresh(seat, token, on: loop)
    guard let connection = connection(of: seat), let grant = connection.grant, case .refresh = seat.duty,
      seat.token?.fingerprint == token.fingerprint, grant.fingerprint == token.fingerprint
    else { return }
    guard answer == nil else { return obey(answer, seat, connection, token, endsWithToken: false, on: loop) }
    guard case .success(let longer) = prolonged(seat, by: token, endsWithToken: false, on: loop) else { return }
    connection.renew(longer)
  }

  /// Asks about a session on grace if it may be asked, and gives it more time if it has no answer.
  private nonisolated(nonsending) func tryAgain(_ seat: HookSeat, _ token: VerifiedToken, on loop: EventLoop) async {
    let answer = await askAgain(seat, token, on: loop)
    guard let connection = connection(of: seat), case .grace(var grace) = seat.duty,
      seat.token?.fingerprint == token.fingerprint
    else { return }
    if answer != nil {
      return obey(answer, seat, connection, token, endsWithToken: grace.bound != nil, on: loop)
    }
    let until = min(loop.wallTime + settings.grace, grace.bound ?? .init(nanoseconds: .max))
    if until > grace.until {
      grace.until = until
      connection.renew(token.ending(at: until))
    }
    take(grace, seat, on: loop)
  }

  /// Carries out an answer to the gateway's own question about a session.
  private func obey(
    _ answer: HookAnswer?, _ seat: HookSeat, _ connection: Connection, _ token: VerifiedToken, endsWithToken: Bool,
    on loop: EventLoop
  ) {
    switch answer {
    case .accepted(let acceptance)?:
      var end = acceptance.expireAt ?? token.expiresAt
      if endsWithToken, let own = token.expiresAt { end = end.map { min($0, own) } ?? own }
      if let end, end <= loop.wallTime { return ask(seat, connection, on: loop) }
      if let info = acceptance.info { seat.info = info }
      if case .refresh = seat.duty, let end, let old = connection.grant.flatMap({ Self.end(of: $0, on: loop) }),
        end < old + Self.leastPause
      {
        // The session goes on for no longer than it would, so the client is asked as ever.
        return seat.take(.none, wakingAt: nil, ending: .gone, on: loop)
      }
      connection.renew(token.ending(at: end))
      settle(seat, by: token, .accepted, on: loop)
    case .expired?: ask(seat, connection, on: loop)
    case .refused?:
      forget(seat, seat.admitted?.user)
      ask(seat, connection, on: loop)
    case .closed(let reason)?:
      forget(seat, seat.admitted?.user)
      seat.take(.none, wakingAt: nil, ending: .refused, on: loop)
      connection.give(.disconnect(reason))
    case nil: break
    }
  }

  /// Asks the client for another token.
  private func ask(_ seat: HookSeat, _ connection: Connection, on loop: EventLoop) {
    seat.take(.none, wakingAt: nil, ending: .refused, on: loop)
    connection.give(.askForRefresh)
  }

  // MARK: Log lines

  func noteGraceBegun(of seat: HookSeat, on loop: EventLoop) {
    counts.beginGrace()
    journal { $0.write(.graceGiven, by: seat.connection, of: seat.token?.user, speaking: seat.dialect) }
    guard let count = counts.tells(.graceBegun, at: loop.transport.now) else { return }
    log?.note(
      .warning, "grace_begun", ["connection": seat.connection.description, "sessions": String(count)])
  }

  func noteGraceEnded(_ ending: HookCounts.Ending, of seat: HookSeat, on loop: EventLoop) {
    counts.endGrace(ending)
    guard let count = counts.tells(.graceEnded, at: loop.transport.now) else { return }
    log?.note(
      .info, "grace_ended",
      ["connection": seat.connection.description, "result": ending.rawValue, "sessions": String(count)])
  }
}

extension VerifiedToken {
  /// The same token, which gives a session until then; nil for ever.
  fileprivate func ending(at end: WallTime?) -> VerifiedToken {
    var token = self
    token.expiresAt = end
    return token
  }
}
