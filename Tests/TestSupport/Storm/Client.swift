package import GatewayCore
package import GatewayFleet
internal import GatewayRuntime
internal import Testing

/// A client machine that a test controls, with its effects so far.
package struct Client {
  package var session: ClientSession
  package var generator = SeededGenerator(seed: 1)
  package var now = Instant.zero

  package init(
    _ behaviour: Behaviour, slowDelay: Duration = .seconds(3), reconnects: Bool = false,
    habits: ClientHabits = ClientHabits()
  ) {
    var plan = StormPlan()
    plan.slowDelay = slowDelay
    plan.reconnects = reconnects
    plan.connectTimeout = .seconds(30)
    session = ClientSession(behaviour, policy: ClientPolicy(plan, habits: habits))
  }

  package mutating func on(_ event: ClientEvent) -> [ClientEffect] {
    var effects: [ClientEffect] = []
    session.handle(event, at: now, chance: &generator, into: &effects)
    return effects
  }

  /// Lets the next deadline pass.
  package mutating func wake() throws -> [ClientEffect] {
    now = try #require(session.nextDeadline)
    return on(.wakeUp)
  }

  package mutating func answer(_ answer: ProviderAnswer) -> [ClientEffect] {
    on(.fetched(number: session.fetchNumber, answer))
  }

  /// Returns a logged-in client.
  package static func live(
    _ behaviour: Behaviour, slowDelay: Duration = .seconds(3), reconnects: Bool = false,
    habits: ClientHabits = ClientHabits(), welcome: Welcome = Welcome()
  ) -> Client {
    var client = Client(behaviour, slowDelay: slowDelay, reconnects: reconnects, habits: habits)
    _ = client.on(.start)
    _ = client.answer(.token(old))
    _ = client.on(.opened)
    _ = client.on(.heard(.connected(nil, welcome)))
    return client
  }

  package static let old = Credentials(token: "old")
  package static let new = Credentials(token: "new")
  package static let ask = ClientEvent.heard(.refreshRequired(timeout: .seconds(60)))
  package static let refusal = ClientEvent.heard(.error(number: 401_010, name: "token_not_renewed"))
}
