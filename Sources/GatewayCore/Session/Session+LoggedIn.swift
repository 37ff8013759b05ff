// Handling common to every logged-in phase: commands, pings and logout.

extension Session {
  /// Handles the events that mean the same in every logged-in phase.
  mutating func handleLoggedIn(
    _ event: SessionEvent, _ grant: Grant, at now: Instant, into effects: inout [SessionEffect]
  ) {
    switch event {
    case .received(.command(let command, let request)):
      effects.append(.perform(command, user: grant.user, request: request))
    case .received(.ping(let request)):
      effects.append(.send(.pong(request: request)))
    case .received(.logout(let request)):
      logOut(grant, request: request, at: now, into: &effects)
    case .malformed(let error):
      handleMalformed(error, at: now, into: &effects)
    case .drain(let until):
      drain(grant, until: until, at: now, into: &effects)
    case .disconnect, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      handleEnding(event, at: now, into: &effects)
    case .received(.credentials), .verified, .renewed, .wakeUp, .expireNow, .askForRefresh, .revoked:
      return
    }
  }

  /// Returns to the phase before the login, with a new login timeout. The verdict on a token that is being verified is
  /// ignored.
  private mutating func logOut(
    _ grant: Grant, request: RequestID?, at now: Instant, into effects: inout [SessionEffect]
  ) {
    leave(grant, request: request, into: &effects)
    if case .draining = phase { return close(.serviceRestart, at: now, into: &effects) }
    move(to: .awaitingCredentials(until: now + policy.loginTimeout))
  }

  /// Ends a session whose token is no longer valid. Closes the connection, unless the policy keeps the socket.
  mutating func end(
    _ grant: Grant, _ reason: CloseReason, at now: Instant, into effects: inout [SessionEffect]
  ) {
    guard policy.keepsSocketAtEnd else { return close(reason, at: now, into: &effects) }
    logOut(grant, request: nil, at: now, into: &effects)
  }

  /// Ends the login, not the connection.
  mutating func leave(_ grant: Grant, request: RequestID?, into effects: inout [SessionEffect]) {
    effects.append(.logOut)
    effects.append(.send(.loggedOut(user: grant.user, request: request)))
    forgetRefusals()
    forgetNotes()
  }
}
