/// The gateway as a vendor's routes and commands may use it: to tell all who watch a call something, for instance. Only
/// from a loop of the gateway.
package protocol GatewayServices: Sendable {
  /// The time of day.
  var wallTime: WallTime { get }

  /// Whether the user has an authenticated connection, on any loop.
  func isConnected(_ user: UserID) async -> Bool

  /// Those of the users who have one: each loop is asked once, however many they are.
  func connected(of users: [UserID]) async -> Set<UserID>

  /// How many connections of the dialect of that name are logged in.
  func sessionCount(of dialect: String) async -> Int

  /// As whom the connection is logged in; nil if there is no such connection, or it is not.
  func user(of connection: ConnectionID) async -> UserID?

  /// Tells all of the audience, on every loop. No loop is waited for, and everybody hears two announcements in the order
  /// in which they were made; so a directory that announces in the step in which it changes has its changes heard in
  /// their order.
  func announce(_ announcement: Announcement)

  /// A message in each wire format that anybody has spoken here, as `words` has it: one that nobody speaks is not put
  /// into words. Nil where a format has none for it.
  func frames(_ words: (any Dialect) -> Frame?) -> [DialectFrame]

  /// Lets the connection hear what is said to the call's audience, without telling anybody. False if there is no such
  /// connection, or it has as many calls as it may.
  func watch(_ call: CallID, by connection: ConnectionID) async -> Bool

  /// The reverse of ``watch(_:by:)``.
  func unwatch(_ call: CallID, by connection: ConnectionID) async

  /// Which users' connections hear what is said to the call's audience, each once, in the order of their names.
  func audience(of call: CallID) async -> [UserID]

  /// How many connections hear what is said to the call's audience.
  func hearers(of call: CallID) async -> Int

  /// How many of them are on the caller's loop. Only on a loop.
  func hearersHere(of call: CallID) -> Int

  /// Gives `event` to those sessions. Returns how many they are.
  func control(_ sessions: SessionFilter, _ event: SessionEvent) async -> Int

  /// Lets a token that was accepted elsewhere, over HTTP say, take the place of the one that those sessions have; they
  /// are told nothing. Returns how many they are.
  func renew(_ sessions: SessionFilter, with token: VerifiedToken) async -> Int

  /// Why a token that verifies is not good all the same: it was revoked, or an operator let it expire; nil if it is good.
  func refusal(of token: VerifiedToken) async -> GatewayError?

  /// The same for a token that a request over HTTP shows to a wire format, where a fault may refuse it too.
  ///
  /// - Parameters:
  ///   - token: The token, verified.
  ///   - dialect: The name of the wire format that the token is for.
  ///   - isRefresh: Whether the request exchanges it for another session of a user who is logged in.
  func refusal(of token: VerifiedToken, shownTo dialect: String, isRefresh: Bool) async -> GatewayError?

  /// Tells of what the token provider does for a user. Only on a loop.
  func note(_ record: ProviderRecord, for user: UserID)

  /// Waits; the caller's loop serves others meanwhile. `purpose` says what for, to who wonders where time stands still.
  func sleep(for duration: Duration, as purpose: String) async

  /// The next number in 0..<1 from the gateway's generator.
  func nextShare() async -> Double
}

extension GatewayServices {
  /// Announces one message in the words of one wire format.
  package func announce(
    to audience: Audience, except speaker: ConnectionID? = nil, _ frame: Frame, in dialect: String
  ) {
    announce(Announcement(to: audience, except: speaker, [DialectFrame(dialect, frame)]))
  }
}
