/// The gateway's services for a vendor's routes and commands. May be called only from a loop of the gateway.
package protocol GatewayServices: Sendable {
  /// The time of day.
  var wallTime: WallTime { get }

  /// Returns whether the user has an authenticated connection, on any loop.
  func isConnected(_ user: UserID) async -> Bool

  /// Returns which of the users have one. Each loop is asked once, regardless of their number.
  func connected(of users: [UserID]) async -> Set<UserID>

  /// Returns the number of logged-in connections of the dialect with that name.
  func sessionCount(of dialect: String) async -> Int

  /// Returns the user that the connection is logged in as; nil if there is no such connection, or it is not logged in.
  func user(of connection: ConnectionID) async -> UserID?

  /// Sends an announcement to its audience on every loop, without waiting for any loop. Every receiver gets two
  /// announcements in the order in which they were made. A directory that announces in the same step as it changes
  /// therefore has its changes delivered in order.
  func announce(_ announcement: Announcement)

  /// Sends a note to the vendor on every other node, which receives it before what is announced after it.
  func tellOthers(_ note: VendorNote)

  /// Returns a message in each wire format that has been spoken on this gateway, encoded by `words`. A format that no
  /// connection has spoken is not encoded. `words` returns nil for a format that cannot express the message.
  func frames(_ words: (any Dialect) -> Frame?) -> [DialectFrame]

  /// Adds the connection to the call's audience, without an announcement. Returns false if there is no such connection,
  /// or it watches the maximum number of calls.
  func watch(_ call: CallID, by connection: ConnectionID) async -> Bool

  /// Removes the connection from the call's audience, the reverse of ``watch(_:by:)``.
  func unwatch(_ call: CallID, by connection: ConnectionID) async

  /// Returns the users with connections in the call's audience, each once, in the order of their names.
  func audience(of call: CallID) async -> [UserID]

  /// Returns the number of connections in the call's audience.
  func hearers(of call: CallID) async -> Int

  /// Returns the number of connections in the call's audience on the caller's loop. Only on a loop.
  func hearersHere(of call: CallID) -> Int

  /// Sends `event` to the selected sessions. Returns their number.
  func control(_ sessions: SessionFilter, _ event: SessionEvent) async -> Int

  /// Replaces the token of the selected sessions by one that was accepted elsewhere, e.g. over HTTP, without a message
  /// to the clients. Returns the number of the sessions.
  func renew(_ sessions: SessionFilter, with token: VerifiedToken) async -> Int

  /// Has the selected sessions judge a token, as if their clients had sent it on their connections. Returns the error of each
  /// session, nil for one that lives by the token now. Only sessions of this process, on a wire whose renewals come over HTTP
  /// or are pushed.
  func present(_ token: Credentials, to sessions: SessionFilter) async -> [GatewayError?]

  /// Returns the error for a token that verifies but is refused, since it was revoked or an operator let it expire; nil
  /// if it is accepted.
  func refusal(of token: VerifiedToken) async -> GatewayError?

  /// Returns the same for a token that an HTTP request presents to a wire format, where a fault may refuse it too.
  ///
  /// - Parameters:
  ///   - token: The token, verified.
  ///   - dialect: The name of the wire format that the token is for.
  ///   - isRefresh: Whether the request exchanges it for another session of a user who is logged in.
  func refusal(of token: VerifiedToken, shownTo dialect: String, isRefresh: Bool) async -> GatewayError?

  /// Records an action of the token provider for a user. Only on a loop.
  func note(_ record: ProviderRecord, for user: UserID)

  /// Waits for a duration; the caller's loop serves other work meanwhile. `purpose` names the reason, for diagnostics
  /// where virtual time stands still.
  func sleep(for duration: Duration, as purpose: String) async

  /// Returns the next number in 0..<1 from the gateway's generator.
  func nextShare() async -> Double
}

extension GatewayServices {
  /// Announces one message in one wire format.
  package func announce(
    to audience: Audience, except speaker: ConnectionID? = nil, _ frame: Frame, in dialect: String
  ) {
    announce(Announcement(to: audience, except: speaker, [DialectFrame(dialect, frame)]))
  }
}
