/// What a dialect's HTTP side and its operations may ask of the gateway they stand on. Only from a loop of the gateway.
package protocol GatewayServices: Sendable {
  /// The time of day.
  var wallTime: WallTime { get }

  /// Whether the user has an authenticated connection, on any loop.
  func isConnected(_ user: UserID) async -> Bool

  /// As whom the connection is logged in; nil if there is no such connection, or it is not.
  func user(of connection: ConnectionID) async -> UserID?

  /// Tells every member of the call that is connected, on every loop, as ``announce(to:except:_:)`` does.
  func publish(_ event: CallEvent) async

  /// Announces something to all of `audience` but one connection, on every loop: that bob joined a call, to its members.
  /// No loop is waited for, and everybody hears two announcements in the order in which they were made; so a directory
  /// that announces in the step in which it changes has its changes heard in their order.
  ///
  /// `words` makes the message, once for each dialect and loop; nil where a dialect has none for it.
  func announce(
    to audience: Audience, except speaker: ConnectionID?,
    _ words: @escaping @Sendable (any Dialect, WallTime) -> Frame?
  )

  /// Says something to every connection of these users but one, to each user in words of their own; in the order of
  /// ``announce(to:except:_:)``.
  func announce(
    toEachOf users: Set<UserID>, except speaker: ConnectionID?,
    _ words: @escaping @Sendable (any Dialect, UserID) -> Frame?
  )

  /// Lets the connection hear what is said to the call's audience, without telling anybody. False if there is no such
  /// connection, or it has as many calls as it may.
  func watch(_ call: CallID, by connection: ConnectionID) async -> Bool

  /// The reverse of ``watch(_:by:)``.
  func unwatch(_ call: CallID, by connection: ConnectionID) async

  /// Which users' connections hear what is said to the call's audience, each once, in the order of their names.
  func audience(of call: CallID) async -> [UserID]

  /// Gives `event` to the logged-in sessions of `user` (of everybody if nil) for which `isMeant` holds. Returns how many
  /// those are.
  func control(
    _ user: UserID?, _ event: SessionEvent, where isMeant: @escaping @Sendable (LiveSession) -> Bool
  ) async -> Int

  /// Lets a token that was accepted elsewhere, over HTTP say, take the place of the one that the user's sessions have
  /// for which `isMeant` holds; they are told nothing. Returns how many those are.
  func renew(_ token: VerifiedToken, where isMeant: @escaping @Sendable (LiveSession) -> Bool) async -> Int

  /// Whether the token has been revoked, or an operator let it expire.
  func isRevoked(_ token: VerifiedToken) async -> Bool

  /// Waits; the caller's loop serves others meanwhile.
  func sleep(for duration: Duration) async

  /// The next number in 0..<1 from the gateway's generator.
  func nextShare() async -> Double
}

extension GatewayServices {
  /// ``announce(to:except:_:)`` for those who tell of a change after they have waited for it.
  package func tell(
    _ audience: Audience, except speaker: ConnectionID? = nil,
    _ words: @escaping @Sendable (any Dialect, WallTime) -> Frame?
  ) async {
    announce(to: audience, except: speaker, words)
  }
}

/// A session that is logged in, for those who choose among them.
package struct LiveSession: Sendable {
  package let connection: ConnectionID
  package let dialect: any Dialect
  package let grant: Grant

  package init(connection: ConnectionID, dialect: any Dialect, grant: Grant) {
    self.connection = connection
    self.dialect = dialect
    self.grant = grant
  }
}

/// Who is told something.
package enum Audience: Hashable, Sendable {
  /// The connections that have joined the call or watch it.
  case call(CallID)
  /// Every connection of these users.
  case users(Set<UserID>)
  /// The connections that have joined the call or watch it, and every connection of these users, each once.
  case callAndUsers(CallID, Set<UserID>)
  case connection(ConnectionID)
}
