internal import GatewayCore

/// The end or change of a user as live sessions and channels hear of it: deactivated, ann is logged out, for instance.
///
/// `EXPR` with 400310 logs every known client out. One with 400300 does so for all but one, and so does nothing that is
/// said of a deleted user; sockets that may not stay are therefore closed as well.
struct SendbirdUserLifecycle: Sendable {
  let services: any GatewayServices
  let channels: SendbirdChannels
  let events: SendbirdChannelEvents

  func deactivated(_ user: UserID, leaves: Bool) async throws(SendbirdError) {
    await end(user, because: .userDeactivated)
    if leaves { try await leaveAll(user) }
  }

  func deleted(_ user: UserID) async throws(SendbirdError) {
    await end(user, because: .sessionRevoked)
    try await leaveAll(user)
  }

  /// Those that a session token opened, and which was issued before, are asked for another one.
  func sessionTokensRevoked(_ user: SendbirdUser) async {
    guard let limit = SendbirdSessionToken.earliestIssueDate(for: user) else { return }
    let sessions = SessionFilter(
      user: user.id, dialects: [SendbirdWire.name], form: .jwt, issuedBefore: limit)
    _ = await services.control(sessions, .revoked)
  }

  /// The access token before is good no more.
  func accessTokenReplaced(_ user: UserID) async {
    _ = await services.control(
      SessionFilter(user: user, dialects: [SendbirdWire.name], form: .opaque), .revoked)
  }

  private func end(_ user: UserID, because reason: SendbirdError) async {
    services.announce(to: .users([user]), SendbirdFrame.sessionEvent(reason: reason), in: SendbirdWire.name)
    _ = await services.control(
      SessionFilter(user: user, dialects: [SendbirdWire.name]), .disconnect(.disconnected))
  }

  func leaveAll(_ user: UserID) async throws(SendbirdError) {
    do throws(SendbirdChannelRefusal) {
      try await channels.leaveAll(user, at: services.wallTime) { await events.left($0, on: services) }
    } catch {
      throw SendbirdError(request: error)
    }
  }
}
