internal import GatewayCore
internal import GatewayRuntime

// The orders of a test about its users' sessions, and its questions about them.

extension PosternGateway {
  /// One session of a user, as an operator sees it.
  public struct Session: Hashable, Sendable {
    /// Its connection, e.g. `conn_0_2`, as the journal's lines name it.
    public let connection: String
    /// The user; nil before login.
    public let user: String?
    /// The phase, e.g. `active` or `refreshing`.
    public let phase: String
    /// How long its token lives yet; negative if it has ended, nil before login.
    public let expiresIn: Duration?

    init(_ summary: SessionSummary) {
      connection = summary.id.description
      user = summary.user?.rawValue
      phase = summary.phase
      expiresIn = summary.expiresIn
    }
  }

  /// Lets the tokens of the user's sessions expire now. Returns how many sessions that reached.
  @discardableResult
  public func expire(user: String) async -> Int {
    // The sessions are kept in memory, which refuses nothing.
    (try? await gateway.control(UserID(user), .expireNow)) ?? 0
  }

  /// Asks the user's sessions for another token. Returns how many sessions that reached.
  @discardableResult
  public func askForRefresh(user: String) async -> Int {
    (try? await gateway.control(UserID(user), .askForRefresh)) ?? 0
  }

  /// Revokes every token of the user issued until now. Returns how many live sessions that took in. Throws if ten thousand
  /// users' tokens have been revoked already: that is how many are remembered.
  @discardableResult
  public func revoke(user: String) async throws -> Int {
    try await gateway.revoke(.user(UserID(user), issuedBefore: await now()))
  }

  /// Closes the user's sessions. Returns how many that were; 0 too for a code that no close frame may carry (RFC 6455
  /// section 7.4) or a reason of more than 123 bytes.
  @discardableResult
  public func disconnect(user: String, code: UInt16 = 4005, reason: String = "disconnected") async -> Int {
    guard let reason = CloseReason(code: code, name: reason) else { return 0 }
    return (try? await gateway.control(UserID(user), .disconnect(reason))) ?? 0
  }

  /// The user's sessions, or everybody's, at most a thousand, in the order in which they came.
  public func sessions(user: String? = nil) async -> [Session] {
    await gateway.sessions(of: user.map(UserID.init), after: nil, limit: 1000).map(Session.init)
  }

  /// How many sessions the user has.
  public func sessionCount(user: String) async -> Int { await sessions(user: user).count }

  /// How many refreshes the gateway has accepted.
  public func acceptedRefreshCount() async -> Int {
    Int(await gateway.metrics().total.refreshesAccepted.total)
  }
}
