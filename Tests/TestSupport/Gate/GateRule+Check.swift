import GatewayCore
internal import GatewayRuntime
internal import Testing

// The checks of each rule, for every dialect and place.

extension GateRule {
  func check(_ dialect: any GateDialect, in world: TestWorld) async throws {
    let scene = GateScene(dialect: dialect, world: world)
    switch self {
    case .anonymous: try await scene.anonymous()
    case .guests: try await scene.guests()
    case .connectionRequired:
      let answer = try await dialect.answerWithoutConnection(in: world)
      #expect(answer.contains("800101"))
    case .loginTimeout: await scene.loginTimeout()
    case .expiry: try await scene.expiry()
    case .refreshTimeout: try await scene.refreshTimeout()
    case .order: try await scene.order()
    case .stranger: try await scene.stranger()
    case .revocation: try await scene.revocation()
    case .closingRevocation: try await scene.closingRevocation()
    case .logout: try await scene.logout()
    }
  }
}

/// The clients of one dialect at the gate of one world.
private struct GateScene {
  let dialect: any GateDialect
  let world: TestWorld

  private func connect(_ user: String, life: Duration = GateRule.usualLife) async throws -> GateClient {
    let token = try await dialect.token(of: user, life: life, in: world)
    let client = await GateClient(user, with: token, of: dialect, in: world)
    try #require(client.isLoggedIn, "\(client.peer.texts)")
    return client
  }

  /// Lets the user's tokens expire; returns true when that has reached one session.
  private func expire(_ user: String) async throws -> Bool {
    try await world.gateway.control(UserID(user), .expireNow) == 1
  }

  private func revoke(_ user: String) async throws -> Bool {
    try await world.gateway.revoke(.user(UserID(user), issuedBefore: world.wallTime)) == 1
  }

  private func isAsked(_ client: GateClient, within limit: Duration? = nil) async -> Bool {
    await world.wait(atMost: limit) { !client.requests.isEmpty }
  }

  /// Returns the kinds of logged-in connections: one that has just been closed may still exist without a user.
  private func kinds() async -> [UserKind] {
    await world.sessions().compactMap(\.kind)
  }

  /// Waits until nothing more can happen: for long if time costs nothing.
  private func quiet() async {
    await world.pass(world.place.isVirtual ? .seconds(50) : .milliseconds(200))
  }

  // MARK: The rules

  func anonymous() async throws {
    let nobody = try await dialect.anonymous(in: world)
    #expect(await nobody.peer.ends(within: .seconds(10) + world.slack))
    #expect(!nobody.isLoggedIn)
    #expect(await kinds().isEmpty)
  }

  func guests() async throws {
    let guest = try await dialect.guest(in: world)
    #expect(guest.isLoggedIn && guest.peer.isOpen)
    #expect(await kinds() == [.guest])
    #expect(try await dialect.joins(guest))
  }

  func loginTimeout() async {
    let (began, timeout) = (world.now, GateRule.timeout(in: world.place))
    let peer = await world.dial(dialect.client.upgrade(of: ClientIdentity(user: UserID(""))))
    #expect(peer.isOpen)
    #expect(await peer.ends(within: timeout + world.slack))
    #expect(peer.end?.code == dialect.closeCodes.loginTimeout)
    #expect(peer.end.map { $0.at >= began + timeout - world.haste } == true)
  }

  func expiry() async throws {
    let (began, life) = (world.now, GateRule.expiry.life(in: world.place))
    let ann = try await connect("ann", life: life)
    #expect(await isAsked(ann, within: life + world.slack))
    // Some tokens are dated in whole seconds.
    #expect(ann.requests.first.map { $0 >= began + life - .seconds(1) - world.haste } == true)
    await quiet()
    #expect(ann.requests.count == 1)
    let renewed = try await ann.renewed()
    #expect(renewed.isLoggedIn)
    await quiet()
    #expect(renewed.peer.isOpen && renewed.requests.count == (ann.refreshesInPlace ? 1 : 0))
  }

  func refreshTimeout() async throws {
    let ann = try await connect("ann")
    // A wire without an answer to the request closes with it.
    let timeout = ann.refreshesInPlace ? GateRule.timeout(in: world.place) : .zero
    let began = world.now
    #expect(try await expire("ann"))
    #expect(await ann.peer.ends(within: timeout + world.slack))
    #expect(ann.requests.count == 1)
    #expect(ann.peer.end?.code == dialect.closeCodes.refreshTimeout)
    #expect(ann.peer.end.map { $0.at >= began + timeout - world.haste } == true)
    #expect(await world.wait { await kinds().isEmpty })
  }

  func order() async throws {
    let (ann, bob) = (try await connect("ann"), try await connect("bob"))
    #expect(try await expire("ann"))
    #expect(await isAsked(ann))
    // Tokens dated in seconds are equal if they are issued in the same second.
    await world.pass(.seconds(1))
    let renewed = try await ann.renewed()
    #expect(renewed.isLoggedIn && renewed.peer.isOpen)
    #expect(bob.requests.isEmpty && bob.peer.isOpen)
  }

  func stranger() async throws {
    let ann = try await connect("ann")
    #expect(try await expire("ann"))
    #expect(await isAsked(ann))
    let bobs = try await dialect.token(of: "bob", life: GateRule.usualLife, in: world)
    #expect(await !ann.answers(with: bobs))
    #expect(ann.peer.isOpen)
    _ = try await ann.renewed()
    #expect(await world.sessions(of: UserID("ann")).count == 1)
    #expect(await kinds().count == 1)
  }

  func revocation() async throws {
    let (ann, bob) = (try await connect("ann"), try await connect("bob"))
    // Tokens of the same second are revoked together.
    await world.pass(.seconds(1))
    #expect(try await revoke("ann"))
    #expect(await isAsked(ann))
    await world.pass(.seconds(1))
    let again = await GateClient("ann", with: ann.token, of: dialect, in: world)
    #expect(!again.isLoggedIn)
    let renewed = try await ann.renewed()
    #expect(renewed.isLoggedIn && renewed.peer.isOpen)
    #expect(bob.requests.isEmpty && bob.peer.isOpen)
  }

  func closingRevocation() async throws {
    let (ann, bob) = (try await connect("ann"), try await connect("bob"))
    await world.pass(.seconds(1))
    #expect(try await revoke("ann"))
    #expect(await ann.peer.ends())
    #expect(ann.peer.end?.code == dialect.closeCodes.revocation)
    #expect(bob.requests.isEmpty && bob.peer.isOpen)
  }

  func logout() async throws {
    let (ann, bob) = (try await connect("ann"), try await connect("bob"))
    await world.pass(.seconds(1))
    let at = world.wallTime
    #expect(try await world.gateway.revoke(.user(UserID("ann"), issuedBefore: at), isEnding: true) == 1)
    #expect(await ann.peer.ends())
    #expect(ann.requests.isEmpty)
    await world.pass(.seconds(1))
    let again = await GateClient("ann", with: ann.token, of: dialect, in: world)
    #expect(!again.isLoggedIn)
    let later = try await connect("ann")
    // A second delivery of the same logout is about the time before.
    #expect(try await world.gateway.revoke(.user(UserID("ann"), issuedBefore: at), isEnding: true) == 0)
    await quiet()
    #expect(later.peer.isOpen && bob.requests.isEmpty && bob.peer.isOpen)
  }
}
