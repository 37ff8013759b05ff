package import GatewayCore

/// A client of a dialect at the gate, with the habits of its SDK.
package struct GateClient: Sendable {
  package let user: String
  package let token: Credentials?
  package let peer: TestPeer
  private let dialect: any GateDialect

  /// Returns a client that has logged in and received its answer.
  package init(_ user: String, with token: Credentials?, of dialect: any GateDialect, in world: TestWorld) async {
    let identity = Self.identity(user, token, world)
    let peer = await world.dial(dialect.client.upgrade(of: identity))
    if let token, let login = dialect.client.encode(.connect(token), of: identity) { peer.say(login) }
    await self.init(user, token, peer, of: dialect)
  }

  /// Returns a client that was logged in by hand.
  package init(_ user: String, _ token: Credentials?, _ peer: TestPeer, of dialect: any GateDialect) async {
    (self.user, self.token, self.peer, self.dialect) = (user, token, peer, dialect)
    let client = self
    _ = await peer.world.wait { client.isLoggedIn || !client.errors.isEmpty || peer.end != nil }
  }

  private static func identity(_ user: String, _ token: Credentials?, _ world: TestWorld) -> ClientIdentity {
    ClientIdentity(
      user: UserID(user), token: token, number: UInt64(clamping: world.now.nanoseconds), now: world.wallTime)
  }

  // MARK: Received messages

  /// The messages that it understood, with their times.
  package var notices: [(at: Instant, notice: ServerNotice)] {
    peer.heard.compactMap { at, frame in
      frame.payload.withUnsafeBytes { dialect.client.decode($0, frame.kind) }.map { (at, $0) }
    }
  }

  package var welcome: Welcome? {
    for case (_, .connected(_, let welcome)) in notices { return welcome }
    return nil
  }

  package var isLoggedIn: Bool { welcome != nil }

  /// The times at which another token was requested.
  package var requests: [Instant] { notices.filter { dialect.isRequest($0.notice) }.map(\.at) }

  package var errors: [Int] {
    notices.compactMap { if case .error(let number, _) = $0.notice { number } else { nil } }
  }

  private var acceptances: Int {
    notices.count {
      switch $0.notice {
      case .refreshed, .keyRenewed: true
      default: false
      }
    }
  }

  // MARK: Another token

  /// Whether its wire can replace a token; otherwise the client reconnects with the new one.
  package var refreshesInPlace: Bool { refresh(with: Credentials(token: "")) != nil }

  private func refresh(with token: Credentials) -> Frame? {
    dialect.client.encode(.refresh(token), of: Self.identity(user, token, peer.world))
  }

  /// Sends that token on the same connection. Returns whether it was accepted, if there is an answer.
  package func answers(with token: Credentials) async -> Bool {
    let (accepted, refused) = (acceptances, errors.count)
    if let frame = refresh(with: token) { peer.say(frame) }
    _ = await peer.world.wait { acceptances > accepted || errors.count > refused || peer.end != nil }
    return acceptances > accepted
  }

  /// Returns the client after it got another valid token of its user: this one, or one that reconnected.
  package func renewed() async throws -> GateClient {
    let token = try await dialect.token(of: user, life: GateRule.usualLife, in: peer.world)
    guard refreshesInPlace else { return await GateClient(user, with: token, of: dialect, in: peer.world) }
    guard await answers(with: token) else { throw NotRenewed(heard: peer.texts.map { String($0.prefix(200)) }) }
    return self
  }

  struct NotRenewed: Error {
    let heard: [String]
  }
}
