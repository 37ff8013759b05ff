internal import GatewayCore
internal import GatewayRuntime

// The actions on users' sessions, and the questions about them.

extension PosternGateway {
  /// One session of a user, as an operator sees it.
  public struct Session: Hashable, Sendable {
    /// Its connection, e.g. `conn_0_2`, as in the journal's lines.
    public let connection: String
    /// The user; nil before login.
    public let user: String?
    /// Its phase, e.g. `active` or `refreshing`.
    public let phase: String
    /// The remaining life of its token; negative if it has expired, nil before login.
    public let expiresIn: Duration?

    init(_ summary: SessionSummary) {
      connection = summary.id.description
      user = summary.user?.rawValue
      phase = summary.phase
      expiresIn = summary.expiresIn
    }
  }

  /// Lets the tokens of the user's sessions expire now. Returns the number of affected sessions.
  @discardableResult
  public func expire(user: String) async -> Int {
    // The store is in memory and accepts everything.
    (try? await gateway.control(UserID(user), .expireNow)) ?? 0
  }

  /// Asks the user's sessions for another token. Returns the number of affected sessions.
  @discardableResult
  public func askForRefresh(user: String) async -> Int {
    (try? await gateway.control(UserID(user), .askForRefresh)) ?? 0
  }

  /// Revokes every token of the user issued until now. Returns the number of affected live sessions. Throws if the
  /// tokens of ten thousand users have been revoked: the gateway stores no more.
  @discardableResult
  public func revoke(user: String) async throws -> Int {
    try await gateway.revoke(.user(UserID(user), issuedBefore: await now()))
  }

  /// Closes the user's sessions. Returns their number, or 0 for a code that no close frame may carry (RFC 6455 section 7.4)
  /// or a reason of more than 123 bytes.
  @discardableResult
  public func disconnect(user: String, code: UInt16 = 4005, reason: String = "disconnected") async -> Int {
    guard let reason = CloseReason(code: code, name: reason) else { return 0 }
    return (try? await gateway.control(UserID(user), .disconnect(reason))) ?? 0
  }

  /// Sends a text message of yours to the user's connections. Their sessions are not touched. Returns the number of
  /// connections, or 0 for a text of more than 65,536 bytes.
  @discardableResult
  public func say(_ text: String, to user: String) async -> Int {
    guard text.utf8.count <= Saying.sizeMax else { return 0 }
    return await gateway.say(.frame(Frame(text: text)), to: .user(UserID(user)))?.told ?? 0
  }

  /// Sends a binary message of yours to the user's connections, as ``say(_:to:)-(String,_)``.
  @discardableResult
  public func say(_ bytes: [UInt8], to user: String) async -> Int {
    guard bytes.count <= Saying.sizeMax else { return 0 }
    return await gateway.say(.frame(Frame(.binary, bytes)), to: .user(UserID(user)))?.told ?? 0
  }

  /// Returns the user's sessions, or all sessions, in the order of connection; at most a thousand.
  public func sessions(user: String? = nil) async -> [Session] {
    await gateway.sessions(of: user.map(UserID.init), after: nil, limit: 1000).map(Session.init)
  }

  /// Returns the number of the user's sessions.
  public func sessionCount(user: String) async -> Int { await sessions(user: user).count }

  /// Returns the number of refreshes that the gateway has accepted.
  public func acceptedRefreshCount() async -> Int {
    Int(await gateway.metrics().total.refreshesAccepted.total)
  }
}
