import GatewayCore
import GatewayRuntime

@testable import GatewayFleet

/// An exploration of all that can happen to a storm's client with one policy, breadth first, to a limited depth.
///
/// Each step is an event that the transport, the provider, the gateway or the clock can cause in that state. Time moves
/// to the next deadline and no further. Each step is taken with a low and with a high random number.
struct ClientExploration {
  typealias Machine = (inout ClientSession, ClientEvent, Instant, inout SeededGenerator, inout [ClientEffect]) -> Void

  /// A client, the time, and what the witness has seen.
  struct Node: Hashable {
    let session: ClientSession
    let now: Instant
    let witness: ClientWitness
    private let state: ClientState

    init(_ session: ClientSession, _ now: Instant, _ witness: ClientWitness) {
      (self.session, self.now, self.witness) = (session, now, witness)
      state = ClientState(session)
    }

    static func == (one: Node, other: Node) -> Bool {
      one.now == other.now && one.state == other.state && one.witness == other.witness
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(state)
      hasher.combine(now)
      hasher.combine(witness)
    }
  }

  struct Step {
    var event: ClientEvent
    /// The seed of the random numbers.
    var seed: UInt64
  }

  /// The results of an exploration.
  struct Findings {
    var states = 0
    var transitions = 0
    /// The broken rules, each with the shortest sequence that breaks it.
    var broken: [String: [ClientEvent]] = [:]
    var nodes: Set<Node> = []
  }

  let policy: SharedClientPolicy
  let behaviour: Behaviour
  /// The longest wait that the policy and the habits allow.
  var waitMax = Duration.seconds(31)
  var machine: Machine = { $0.handle($1, at: $2, chance: &$3, into: &$4) }

  init(_ behaviour: Behaviour, _ habits: ClientHabits, reconnects: Bool) {
    var plan = StormPlan()
    plan.reconnects = reconnects
    plan.loginTries = 2
    var policy = ClientPolicy(plan, habits: habits)
    policy.refusalsMax = 3
    policy.garbageMax = 2
    self.policy = SharedClientPolicy(policy)
    self.behaviour = behaviour
  }

  /// Seeds whose first random number is below 0.1 and above 0.9.
  static let seeds: [UInt64] = [seed { $0 < 0.1 }, seed { $0 > 0.9 }]

  private static func seed(where isWanted: (Double) -> Bool) -> UInt64 {
    var seed: UInt64 = 1
    while true {
      var chance = SeededGenerator(seed: seed)
      if isWanted(chance.nextShare()) { return seed }
      seed += 1
    }
  }

  /// The events between the start and the first state that is explored.
  var opening: [ClientEvent] = []

  /// The events of a first login that the gateway refuses because of the token.
  static let refusal: [ClientEvent] = [
    .fetched(number: 1, .token(Credentials(token: "token 1"))), .opened, .heard(.error(number: 1, name: "1")),
  ]

  var root: Node {
    var session = ClientSession(behaviour, policy: policy)
    var witness = ClientWitness()
    let now = Instant.zero + .seconds(1000)
    var effects: [ClientEffect] = []
    var chance = SeededGenerator(seed: 1)
    session.handle(.start, at: now, chance: &chance, into: &effects)
    _ = witness.watch(.start, effects, after: session)
    return opening.reduce(Node(session, now, witness)) { take(Step(event: $1, seed: 1), from: $0).0 }
  }

  /// Explores every sequence of `depth` steps; sequences with the same result are continued once.
  func visit(depth: Int) -> Findings {
    var findings = Findings()
    var places: [(node: Node, from: Int, event: ClientEvent)] = [(root, -1, .start)]
    findings.nodes = [root]
    var level = 0..<1
    for _ in 0..<depth {
      for index in level {
        let node = places[index].node
        for step in steps(from: node) {
          findings.transitions += 1
          let (reached, broken) = take(step, from: node)
          for rule in broken + restRules(reached) where findings.broken[rule] == nil {
            findings.broken[rule] = way(to: index, in: places) + [step.event]
          }
          if findings.nodes.insert(reached).inserted { places.append((reached, index, step.event)) }
        }
      }
      level = level.upperBound..<places.count
    }
    findings.states = places.count
    return findings
  }

  private func way(to index: Int, in places: [(node: Node, from: Int, event: ClientEvent)]) -> [ClientEvent] {
    var way: [ClientEvent] = []
    var index = index
    while index >= 0 {
      way.append(places[index].event)
      index = places[index].from
    }
    return way.reversed()
  }

  func take(_ step: Step, from node: Node) -> (Node, [String]) {
    var (session, now, witness) = (node.session, node.now, node.witness)
    if case .wakeUp = step.event, let deadline = session.nextDeadline { now = max(now, deadline) }
    if case .fetched(_, .token) = step.event, policy.policy.habits.refresh.lead != nil {
      session.note(endOfToken: now + .seconds(100))
    }
    var effects: [ClientEffect] = []
    var chance = SeededGenerator(seed: step.seed)
    machine(&session, step.event, now, &chance, &effects)
    var broken = witness.watch(step.event, effects, after: session)
    let reached = Node(session, now, witness)
    if let until = Self.wait(of: session), until != Self.wait(of: node.session) {
      if until < now || until - now > waitMax { broken.append("a wait of \(until - now)") }
      broken += jitterRule(step, node, now)
    }
    return (reached, broken)
  }

  // MARK: Rules of waits and late events

  /// Returns the end of the client's wait before it tries something again; nil if it does not wait.
  private static func wait(of session: ClientSession) -> Instant? {
    switch session.phase {
    case .waitingToObtain(_, let until), .away(let until), .returning(.waiting(let until)): return until
    case .refreshing(let refresh):
      if case .backingOff(let until) = refresh.step { return until }
      return nil
    default: return nil
    }
  }

  /// Checks that two clients with the same history do not retry together, unless the wait is zero or the gateway's own.
  private func jitterRule(_ step: Step, _ node: Node, _ now: Instant) -> [String] {
    if case .heard(.busy) = step.event { return [] }
    let waits = Self.seeds.map { seed in
      var session = node.session
      var effects: [ClientEffect] = []
      var chance = SeededGenerator(seed: seed)
      machine(&session, step.event, now, &chance, &effects)
      return Self.wait(of: session)
    }
    // A client that hammers is there for its lack of jitter.
    guard behaviour != .hammering else { return [] }
    guard let low = waits[0], let high = waits[1], low == high, low > now else { return [] }
    return ["a wait without jitter"]
  }

  /// Checks what holds in every state: late and early events change nothing, wake-ups come to rest, and a stop ends it.
  private func restRules(_ node: Node) -> [String] {
    var broken: [String] = []
    let number = node.session.fetchNumber
    let token = ProviderAnswer.token(Credentials(token: "late"))
    var idle: [(ClientEvent, String)] = [
      (.start, "a second start"), (.fetched(number: number &- 1, token), "a late answer"),
      (.fetched(number: number &+ 1, token), "an answer to no request"),
    ]
    if !node.session.isWaiting(forFetch: number) { idle.append((.fetched(number: number, token), "a second answer")) }
    if node.session.nextDeadline.map({ $0 > node.now }) ?? true { idle.append((.wakeUp, "an early wake-up")) }
    for (event, name) in idle {
      var session = node.session
      var effects: [ClientEffect] = []
      var chance = SeededGenerator(seed: 1)
      machine(&session, event, node.now, &chance, &effects)
      if !effects.isEmpty || ClientState(session) != ClientState(node.session) {
        broken.append("\(name) changes something")
      }
    }
    return broken + wakeUpRule(node) + stopRule(node)
  }

  private func wakeUpRule(_ node: Node) -> [String] {
    guard let deadline = node.session.nextDeadline else { return [] }
    var session = node.session
    let now = max(node.now, deadline)
    for _ in 0..<8 {
      var effects: [ClientEffect] = []
      var chance = SeededGenerator(seed: Self.seeds[0])
      machine(&session, .wakeUp, now, &chance, &effects)
      if session.nextDeadline.map({ $0 > now }) ?? true { return [] }
    }
    return ["wake-ups without rest"]
  }

  /// Checks that a stopped client dials and requests nothing, and has ended once its socket has.
  private func stopRule(_ node: Node) -> [String] {
    var session = node.session
    var events: [ClientEvent] = [.stop, .wakeUp, .fetched(number: session.fetchNumber, .failed("x"))]
    switch node.witness.transport {
    case .none: break
    case .dialling: events += [.opened, .closed(1000)]
    case .open, .closing: events.append(.closed(1000))
    }
    for event in events {
      var effects: [ClientEffect] = []
      var chance = SeededGenerator(seed: 1)
      machine(&session, event, node.now + .seconds(1000), &chance, &effects)
      for effect in effects {
        switch effect {
        case .dial, .fetch, .send, .ping: return ["a stopped client acts: \(effect)"]
        case .close, .record: break
        }
      }
    }
    return session.phase == .ended ? [] : ["a stopped client does not end"]
  }
}
