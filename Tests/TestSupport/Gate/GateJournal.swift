internal import GatewayControl
internal import GatewayCore
package import GatewayRuntime
internal import GatewaySpace
internal import Testing

/// A conversation of one dialect with everything that its wire can have, and the journal's record of it.
package struct GateJournal {
  private let dialect: any GateDialect
  private let world: TestWorld
  /// The texts that no line may contain.
  private var secrets: [String] = []

  /// Returns the kinds of lines, with messages, that the conversation does not produce in virtual time, except for a
  /// failing token provider. Checks that no line contains a token.
  package static func missing(of dialect: any GateDialect) async throws -> Set<JournalKind> {
    let rule = GateRule.loginTimeout
    let settings = try GateCase.settings(dialect, rule.policy(in: .hosted), life: GateRule.usualLife)
    let seen = Seen()
    try await TestPlace.hosted.run(settings) { world in
      try await dialect.prepare(world)
      var scene = GateJournal(dialect: dialect, world: world)
      try await scene.play()
      try await scene.check(seen)
    }
    return Set(JournalKind.allCases).subtracting(seen.kinds)
      .subtracting([.providerFailed, .providerRefused, .faulted, .upstreamFailed, .signalTaken, .signalRefused])
      .subtracting([.outboundAsked, .outboundAnswered, .graceGiven, .webhookSent, .handedOver])
  }

  private init(dialect: any GateDialect, world: TestWorld) {
    self.dialect = dialect
    self.world = world
  }

  /// `@unchecked Sendable`: used only on the world's one thread.
  private final class Seen: @unchecked Sendable {
    var kinds: Set<JournalKind> = []
  }

  private mutating func token(_ user: String) async throws -> Credentials {
    // Tokens dated in seconds are equal if they are issued in the same second.
    await world.pass(.seconds(1))
    let token = try await dialect.token(of: user, life: GateRule.usualLife, in: world)
    secrets.append(token.token)
    return token
  }

  private mutating func play() async throws {
    let silent = await world.dial(dialect.client.upgrade(of: ClientIdentity(user: UserID(""))))
    silent.say("}{")
    silent.say(dialect.operation)
    #expect(await silent.ends(within: .seconds(100)))
    #expect(await world.dial("/nowhere").ends())
    secrets.append("marked.token.of-nobody")
    _ = await GateClient("ann", with: Credentials(token: "marked.token.of-nobody"), of: dialect, in: world)
    _ = try await dialect.anonymous(in: world)
    let ann = await GateClient("ann", with: try await token("ann"), of: dialect, in: world)
    try #require(ann.isLoggedIn, "\(ann.peer.texts)")
    _ = try await world.gateway.control(UserID("ann"), .expireNow)
    #expect(await world.wait { !ann.requests.isEmpty })
    if ann.refreshesInPlace {
      #expect(await ann.answers(with: try await token("ann")))
      // Refused, or a change of users.
      _ = await ann.answers(with: try await token("bob"))
    }
    let cleo = await GateClient("cleo", with: try await token("cleo"), of: dialect, in: world)
    await world.pass(.seconds(1))
    #expect(try await world.gateway.revoke(.user(UserID("cleo"), issuedBefore: world.wallTime)) == 1)
    _ = try await world.gateway.control(UserID("cleo"), .disconnect(.disconnected))
    #expect(await cleo.peer.ends(within: .seconds(10)))
    let dora = await GateClient("dora", with: try await token("dora"), of: dialect, in: world)
    dora.peer.close()
    #expect(await dora.peer.ends(within: .seconds(10)))
  }

  private func check(_ seen: Seen) async throws {
    var query = Journal.Query(limit: .max)
    query.hasPayloads = true
    let page = try #require(await world.gateway.journal(query))
    #expect(page.lines.contains { $0.event.kind == .messageOut && $0.payload != nil } == dialect.showsMessages)
    #expect(page.lines.map(\.number) == Array(1...page.next) && page.missed == 0)
    for line in page.lines {
      let text = JournalText.text(line)
      #expect(
        !secrets.contains { text.contains($0) || text.contains($0.suffix(24)) } && !text.contains("eyJ"), "\(text)")
    }
    let counts = await world.gateway.journalCounts(of: UserID("ann")) ?? [:]
    #expect(counts[.loggedIn] == 1 && counts[.refreshRequested] == 1)
    #expect(counts[.tokenExpired] == nil || counts[.tokenExpired] == 1)
    let closed = page.lines.filter { $0.event.kind == .closed && $0.user == UserID("dora") }
    #expect(closed.count == 1 && closed.allSatisfy { if case .closed(_, by: .peer) = $0.event { true } else { false } })
    seen.kinds.formUnion(page.lines.map(\.event.kind))
  }
}
