import GatewayCore
import GatewayRuntime
import TestTraits
import Testing

@testable import GatewayFleet

struct ClientExplorationTests {
  /// The habits of a kind of client, and whether the plan brings it back.
  struct Plan: CustomTestStringConvertible, Sendable {
    var name: String
    var habits = ClientHabits()
    var reconnects = false
    var testDescription: String { name }

    init(_ name: String, reconnects: Bool = false, _ change: (inout ClientHabits) -> Void = { _ in }) {
      (self.name, self.reconnects) = (name, reconnects)
      change(&habits)
    }
  }

  private static let window = ReturnSchedule.window(
    low: .milliseconds(250), high: .milliseconds(500), step: .seconds(2), cap: .seconds(5), firstAtOnce: false)

  static let plans: [Plan] = [
    Plan("a client that stays away"),
    Plan("a client that the plan brings back", reconnects: true),
    Plan("old token first, silence noticed") {
      var comeback = ComebackHabit(window, renewingErrors: [1])
      comeback.heedsNormalClose = true
      comeback.normalCloseNoticedShare = 0.5
      comeback.endsWithoutToken = true
      comeback.closeDecidesAboutErrors = true
      $0.comeback = comeback
      $0.keepAlive = KeepAliveHabit(every: .seconds(25), limit: .seconds(35))
    },
    Plan("new token at once, before the wait") {
      var comeback = ComebackHabit(window, renewingErrors: [1])
      comeback.heed = .atOnce
      comeback.otherErrorsAreFinal = false
      comeback.asksBeforeWaiting = true
      $0.comeback = comeback
    },
    Plan("new token after the close") {
      var comeback = ComebackHabit(window, renewingErrors: [1])
      comeback.heed = .whenClosed
      comeback.asksBeforeWaiting = true
      comeback.waitsWithNewToken = false
      $0.comeback = comeback
    },
    Plan("session key beside the token") {
      var comeback = ComebackHabit(
        .backoff(first: .seconds(2), factor: 2, cap: .seconds(20), isJittered: true, tries: nil), renewingErrors: [1])
      comeback.failuresAtLoss = 0
      comeback.otherErrorsAreFinal = false
      comeback.finalErrors = [9]
      comeback.asksBeforeWaiting = true
      $0.comeback = comeback
      $0.sessionKey = SessionKeyHabit(expiredError: 5)
    },
    Plan("logged in when open, renewed by a timer") {
      $0.comeback = described
      $0.isLoggedInAtOpen = true
      $0.settle = .seconds(1)
      $0.refresh.how = .timer
      $0.refresh.lead = .share(0.2)
    },
    Plan("token at need, renewed on a new connection") {
      $0.comeback = described
      $0.asksAtNeed = true
      $0.refresh.how = .reconnect
      $0.refresh.lead = .duration(.seconds(10))
    },
    Plan("asked while the login settles") {
      $0.comeback = described
      $0.settle = .seconds(1)
    },
  ]

  /// The way back of a described wire, where 4001 means that the token is over.
  private static var described: ComebackHabit {
    var comeback = ComebackHabit(
      .backoff(first: .seconds(1), factor: 2, cap: .seconds(30), isJittered: true, tries: 3), renewingErrors: [1])
    comeback.otherErrorsAreFinal = false
    comeback.finalErrors = [3]
    comeback.tokenOnReturn = .unlessOver
    comeback.ends = [EndRule(codes: [4001...4001], verdict: .renew)]
    return comeback
  }

  @Test(.long, arguments: plans, Behaviour.allCases)
  func `every sequence of events to a bounded depth keeps every rule of a client`(plan: Plan, behaviour: Behaviour) {
    let depth = [.wellBehaved, .hammering].contains(behaviour) ? 5 : 4
    let findings = ClientExploration(behaviour, plan.habits, reconnects: plan.reconnects).visit(depth: depth)
    for (rule, way) in findings.broken { Issue.record("\(rule) after \(way)") }
    #expect(findings.transitions > 200)
  }

  @Test(arguments: plans[2...4])
  func `every sequence of events after a refused login keeps every rule of a client`(plan: Plan) {
    var exploration = ClientExploration(.wellBehaved, plan.habits, reconnects: false)
    exploration.opening = ClientExploration.refusal
    let findings = exploration.visit(depth: 4)
    for (rule, way) in findings.broken { Issue.record("\(rule) after \(way)") }
    #expect(findings.states > 10)
  }

  @Test(.long, arguments: plans)
  func `merging sequences of a client that meet finds the states and transitions of following each`(plan: Plan) {
    let exploration = ClientExploration(.wellBehaved, plan.habits, reconnects: plan.reconnects)
    var followed: Set<ClientExploration.Node> = []
    var expanded: Set<ClientExploration.Node> = []
    var transitions = 0
    func follow(_ node: ClientExploration.Node, for steps: Int) {
      followed.insert(node)
      guard steps > 0 else { return }
      let next = exploration.steps(from: node)
      if expanded.insert(node).inserted { transitions += next.count }
      for step in next { follow(exploration.take(step, from: node).0, for: steps - 1) }
    }
    follow(exploration.root, for: 4)
    let merged = exploration.visit(depth: 4)
    #expect(merged.nodes == followed)
    #expect(merged.states == followed.count && merged.transitions == transitions)
  }

  @Test
  func `the explored state of a client has every property of the machine`() {
    let session = ClientSession(.wellBehaved, policy: ClientPolicy(StormPlan()))
    let names = Set(Mirror(reflecting: session).children.compactMap(\.label))
    let explored = Set(Mirror(reflecting: ClientState(session)).children.compactMap(\.label))
    #expect(names.subtracting(["behaviour", "sharedPolicy"]) == explored)
  }

  /// A broken rule of the machine, and the finding that it leads to.
  struct Mutation: CustomTestStringConvertible, Sendable {
    var finding: String
    var machine:
      @Sendable (inout ClientSession, ClientEvent, Instant, inout SeededGenerator, inout [ClientEffect]) -> Void
    var testDescription: String { finding }
  }

  static let mutations = [
    Mutation(finding: "a late answer changes something") { session, event, now, chance, effects in
      var event = event
      if case .fetched(_, let answer) = event { event = .fetched(number: session.fetchNumber, answer) }
      session.handle(event, at: now, chance: &chance, into: &effects)
    },
    Mutation(finding: "two sockets at once") { session, event, now, chance, effects in
      session.handle(event, at: now, chance: &chance, into: &effects)
      if effects.contains(.dial) { effects.append(.dial) }
    },
    Mutation(finding: "a wait without jitter") { session, event, now, chance, effects in
      chance = SeededGenerator(seed: 1)
      session.handle(event, at: now, chance: &chance, into: &effects)
    },
    Mutation(finding: "a refused token is shown again") { session, event, now, chance, effects in
      session.handle(event, at: now, chance: &chance, into: &effects)
      let old = ClientEffect.send(.connect(Credentials(token: "token 1")))
      effects = effects.map { if case .send(.connect) = $0 { old } else { $0 } }
    },
    Mutation(finding: "an open socket is neither used nor closed") { session, event, now, chance, effects in
      session.handle(event, at: now, chance: &chance, into: &effects)
      effects.removeAll { $0 == .close }
    },
  ]

  @Test(arguments: mutations)
  func `an exploration finds a client that breaks a rule`(mutation: Mutation) {
    var exploration = ClientExploration(.wellBehaved, Self.plans[2].habits, reconnects: false)
    exploration.machine = mutation.machine
    var found = exploration.visit(depth: 5).broken
    exploration.opening = ClientExploration.refusal
    found.merge(exploration.visit(depth: 4).broken) { first, _ in first }
    #expect(found[mutation.finding] != nil)
  }
}
