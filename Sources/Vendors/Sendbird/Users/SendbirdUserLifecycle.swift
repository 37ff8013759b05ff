internal import GatewayCore

/// The effects of a user's end or change on live sessions and channels.
///
/// `EXPR` with 400310 logs every known client out. 400300 does so for all except one, which also ignores every event
/// about a deleted user; therefore sockets that may not stay are closed as well.
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

  /// Requests a new token from sessions that an earlier session token opened.
  func sessionTokensRevoked(_ user: SendbirdUser) async {
    guard let limit = SendbirdSessionToken.earliestIssueDate(for: user) else { return }
    let sessions = SessionFilter(
      user: user.id, dialects: [SendbirdWire.name], form: .jwt, issuedBefore: limit)
    _ = await services.control(sessions, .revoked)
  }

  /// Ends the sessions of the replaced access token.
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
