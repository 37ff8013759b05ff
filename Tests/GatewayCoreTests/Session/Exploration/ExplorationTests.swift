import GatewayCore
import TestTraits
import Testing

struct ExplorationTests {
  /// A policy with its purpose, and the start and length of the sequences.
  struct Plan: CustomTestStringConvertible, Sendable {
    var name: String
    var policy: SessionPolicy
    var isLoggedIn = true
    var depth: Int
    /// The number of phases that can last.
    var phases = 8
    var testDescription: String { name }
  }

  static let plans: [Plan] = [
    Plan(
      name: "defaults, from the open socket", policy: try! SessionPolicy(refusedRefreshesMax: 3, malformedMax: 2),
      isLoggedIn: false, depth: 6),
    Plan(
      name: "defaults, from login", policy: try! SessionPolicy(refusedRefreshesMax: 3, malformedMax: 3), depth: 5,
      phases: 6),
    Plan(
      name: "lead and spread",
      policy: try! SessionPolicy(
        refreshLead: .seconds(20), refreshSpread: .seconds(30), refusedRefreshesMax: 2, malformedMax: 2), depth: 6,
      phases: 6),
    Plan(
      name: "revocation closes, no second chance",
      policy: try! SessionPolicy(refusedRefreshesMax: 1, malformedMax: 1, revocation: .close), isLoggedIn: false,
      depth: 6),
    Plan(
      name: "timeouts shorter than documented, lead longer than life",
      policy: try! SessionPolicy(
        loginTimeout: .seconds(1), refreshTimeout: .seconds(5), refreshLead: .seconds(500), malformedMax: 2,
        anyRefreshTimeout: true), depth: 5, phases: 6),
    Plan(
      name: "the refused linger, and a refresh request is a farewell",
      policy: try! SessionPolicy(
        refreshTimeout: .zero, refusalLinger: .seconds(3), refusedRefreshesMax: 2, malformedMax: 2,
        anyRefreshTimeout: true), isLoggedIn: false, depth: 6),
    Plan(
      name: "outages of less than two timeouts",
      policy: try! SessionPolicy(
        outageMax: .seconds(100), refreshLead: .seconds(20), refusedRefreshesMax: 2, malformedMax: 2), depth: 6,
      phases: 6),
    Plan(
      name: "users log out, and others in",
      policy: try! SessionPolicy(
        refreshLead: .seconds(20), refusedRefreshesMax: 2, malformedMax: 2, allowsIdentityChange: true), depth: 5),
  ]

  @Test(.long, arguments: plans)
  func `every sequence of events to a bounded depth keeps every rule`(plan: Plan) {
    let findings = Exploration(policy: plan.policy, isLoggedIn: plan.isLoggedIn).visit(depth: plan.depth)
    for broken in findings.broken { Issue.record("\(broken)") }
    print(
      "explored \(plan.name): depth \(plan.depth), \(findings.states) states, \(findings.transitions) transitions,",
      "\(findings.phases.count) phases, \(findings.reasons.count) close reasons")
    #expect(findings.phases.count == plan.phases)
    #expect(findings.transitions > 100_000)
    var expected: Set<CloseReason> = [
      .refreshTimeout, .disconnected, .serviceRestart, .slowConsumer, .livenessTimeout, .tooManyFailures, .tokenRevoked,
    ]
    if !plan.isLoggedIn || plan.policy.allowsIdentityChange {
      expected.formUnion([.anonymousRefused, .invalidToken, .overloaded, .loginTimeout])
    }
    #expect(findings.reasons == expected)
  }

  @Test
  func `merging sequences that meet explores the same states as following each`() {
    let exploration = Exploration(policy: Self.plans[0].policy)
    let merged = (1...3).map { exploration.visit(depth: $0).last }
    let separate = (1...3).map { exploration.visit(depth: $0, merging: false).last }
    var mergedSoFar: Set<Exploration.Node> = []
    for depth in 0..<3 {
      mergedSoFar.formUnion(merged[depth])
      // The merging exploration has already continued from the shorter way to a state that a longer way reaches again.
      #expect(merged[depth].isSubset(of: separate[depth]))
    }
    let everywhere = separate.reduce(into: Set<Exploration.Node>()) { $0.formUnion($1) }
    #expect(everywhere.subtracting(mergedSoFar).count <= 1, "only the beginning itself may be left out")
  }
}
