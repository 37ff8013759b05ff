import GatewayCore
import TestSupport

/// An exploration of all that can happen to a session with one policy, breadth first, to a limited depth.
///
/// Each step is an event at the present time, or a move of time without an event: to one nanosecond before the next
/// deadline, to the deadline, or far past it. The rest depends only on the session, the time and the witness's records,
/// so states that were met before can be skipped; ``visit(depth:merging:)`` can include them, to check just that.
struct Exploration {
  /// The state after a sequence of steps.
  struct Node: Hashable {
    var session: Session
    var now: Instant
    var witness: Witness
  }

  enum Step {
    case event(SessionEvent)
    case move(Instant)
  }

  /// The results of an exploration.
  struct Findings {
    var states = 0
    var transitions = 0
    var phases: Set<String> = []
    var reasons: Set<CloseReason> = []
    /// A broken rule, with the steps that led to it.
    var broken: [String] = []
    /// The sessions at the last depth.
    var last: Set<Node> = []
  }

  let policy: SessionPolicy
  /// Whether the sequences begin when the first token, of 100 s, has been accepted.
  var isLoggedIn = false

  private var root: Node {
    var node = Node(
      session: Session(id: ConnectionID(loop: 0, serial: 1), policy: SharedSessionPolicy(policy), now: .zero),
      now: .zero,
      witness: Witness(policy: policy))
    guard isLoggedIn else { return node }
    for event in [SessionEvent.credentials(), .accepted(1, .token(1, expiresAt: 100, share: 0.5))] {
      var effects: [SessionEffect] = []
      node.session.handle(event, at: .zero, into: &effects)
      _ = node.witness.watch(event, at: .zero, effects, after: node.session)
    }
    return node
  }

  /// Explores every sequence of `depth` steps; those with the same result are continued once if `merging`.
  func visit(depth: Int, merging: Bool = true) -> Findings {
    var findings = Findings()
    var seen: Set<Node> = [root]
    // Every state with its predecessor and step.
    var places: [(node: Node, from: Int, step: Step?)] = [(root, -1, nil)]
    var level = 0..<1
    for _ in 0..<depth {
      for index in level {
        let node = places[index].node
        for step in steps(from: node) {
          let (reached, broken) = take(step, from: node, &findings)
          findings.transitions += 1
          let isNew = !merging || seen.insert(reached).inserted
          if isNew { places.append((reached, index, step)) }
          if !broken.isEmpty {
            findings.broken.append("\(broken) after \(way(to: index, in: places)) \(step)")
            if findings.broken.count >= 10 { return findings }
          }
        }
      }
      level = level.upperBound..<places.count
    }
    findings.states = places.count
    findings.last = Set(places[level].lazy.map(\.node))
    return findings
  }

  private func way(to index: Int, in places: [(node: Node, from: Int, step: Step?)]) -> [Step] {
    var way: [Step] = []
    var index = index
    while let step = places[index].step {
      way.append(step)
      index = places[index].from
    }
    return way.reversed()
  }

  private func take(_ step: Step, from node: Node, _ findings: inout Findings) -> (Node, [String]) {
    var reached = node
    switch step {
    case .move(let instant):
      reached.now = instant
      return (reached, [])
    case .event(let event):
      var broken = passDeadline(before: event, in: node, &reached, &findings)
      var effects: [SessionEffect] = []
      reached.session.handle(event, at: node.now, into: &effects)
      broken += reached.witness.watch(event, at: node.now, effects, after: reached.session)
      broken += doubleWakeUpRule(reached)
      findings.phases.insert(reached.session.phaseKind.name)
      for case .close(let reason) in effects { findings.reasons.insert(reason) }
      return (reached, broken)
    }
  }

  // MARK: Steps

  private func steps(from node: Node) -> [Step] {
    var steps: [Step] = events(node).map { .event($0) }
    if let deadline = node.session.nextDeadline, deadline != .distantFuture {
      let times = [deadline - .nanoseconds(1), deadline, deadline + .seconds(30), deadline + .seconds(10_000)]
      steps += times.filter { $0 > node.now }.map { .move($0) }
    }
    return steps
  }

  /// Returns all events that a peer, a clock, a store or an operator can cause here.
  private func events(_ node: Node) -> [SessionEvent] {
    let attempt = node.session.attempt
    let life = node.now + .seconds(100)
    func token(
      _ number: UInt64, _ user: String, _ kind: UserKind, _ expiresAt: Instant, _ renewal: RefreshCause = .expiry
    ) -> Acceptance {
      Acceptance(
        VerifiedToken(user: UserID(user), kind: kind, fingerprint: .number(number), renewal: renewal),
        expiresAt: expiresAt, spreadShare: 0.5)
    }
    func wanting(_ expiresAt: Instant) -> Acceptance {
      token(7, "ann", .regular, expiresAt).with { $0.wants = .credentialsMissing }
    }
    // Not the session's present token.
    let fresh: UInt64 = node.session.grant?.fingerprint == .number(1) ? 2 : 1
    // The logout does not depend on the policy, so one plan with it is enough.
    let logout: [SessionEvent] = policy.allowsIdentityChange ? [.received(.logout(request: nil))] : []
    return logout + [
      .credentials(), .join(), .received(.ping(request: nil)), .malformed(.malformedMessage),
      .accepted(attempt, token(fresh, "ann", .regular, life)),
      .accepted(attempt, token(3 - fresh, "ann", .regular, node.session.grant?.expiresAt ?? life)),
      .accepted(attempt, token(fresh, "ann", .regular, .distantFuture)),
      .accepted(attempt, token(fresh, "ann", .regular, node.now - .seconds(1))),
      .accepted(attempt, token(3, "bob", .regular, life)), .accepted(attempt, token(4, "ann", .guest, life)),
      .accepted(attempt, token(5, "!anon", .anonymous, life)), .refused(attempt),
      .refused(attempt, .identityUnavailable),
      .accepted(attempt, wanting(life)),
      .accepted(attempt, token(fresh, "ann", .regular, life, .sessionEnd)),
      .renewed(token(fresh, "ann", .regular, life)), .renewed(token(3, "bob", .regular, life)),
      .renewed(token(fresh, "ann", .regular, node.now)),
      .accepted(attempt &- 1, token(6, "eve", .regular, life)), .refused(attempt &+ 1), .wakeUp, .expireNow,
      .askForRefresh, .revoked, .disconnect(.disconnected), .drain(until: node.now + .seconds(500)),
      .drain(until: node.now), .slowConsumer, .peerSilent, .peerClosed, .transportLost,
    ]
  }

  // MARK: Wake-ups

  /// Moves to the state after a wake-up, if a deadline has passed. It is handled before the event that finds it passed,
  /// so both ways lead to the same state and messages. An early wake-up changes nothing.
  private func passDeadline(
    before event: SessionEvent, in node: Node, _ reached: inout Node, _ findings: inout Findings
  ) -> [String] {
    var woken = node.session
    var effects: [SessionEffect] = []
    woken.handle(.wakeUp, at: node.now, into: &effects)
    guard let deadline = node.session.nextDeadline, deadline <= node.now else {
      return woken == node.session && effects.isEmpty ? [] : ["an early wake-up changes something"]
    }
    reached.session = woken
    for case .close(let reason) in effects { findings.reasons.insert(reason) }
    var broken = reached.witness.watch(.wakeUp, at: node.now, effects, after: woken)
    broken += latenessRules(node, woken)
    var direct = node.session
    var directEffects: [SessionEffect] = []
    direct.handle(event, at: node.now, into: &directEffects)
    woken.handle(event, at: node.now, into: &effects)
    if direct != woken || directEffects != effects {
      broken.append("a deadline that has passed is not handled before the event that finds it passed")
    }
    return broken
  }

  private func doubleWakeUpRule(_ reached: Node) -> [String] {
    var again = reached.session
    var effects: [SessionEffect] = []
    again.handle(.wakeUp, at: reached.now, into: &effects)
    return again == reached.session && effects.isEmpty ? [] : ["a double wake-up changes something"]
  }

  /// Checks that a late wake-up ends in the same phase as one in time, with two documented exceptions: a request's
  /// timeout counts from the request, though never from later than expiry, and a closing handshake's from its start.
  private func latenessRules(_ node: Node, _ late: Session) -> [String] {
    guard let deadline = node.session.nextDeadline, let grant = node.session.grant, !late.standing.isClosing else {
      return []
    }
    var punctual = node.session
    var punctualEffects: [SessionEffect] = []
    punctual.handle(.wakeUp, at: deadline, into: &punctualEffects)
    punctual.handle(.wakeUp, at: node.now, into: &punctualEffects)
    let asksAtExpiry = grant.askAt == grant.expiresAt
    if asksAtExpiry && (punctual.phaseKind.name != late.phaseKind.name || punctual.nextDeadline != late.nextDeadline) {
      return ["a late wake-up changes the outcome"]
    }
    // An outage may have given more time already.
    let bound = max(grant.expiresAt + policy.refreshTimeout, punctual.nextDeadline ?? .zero)
    return late.nextDeadline.map { $0 > bound } == true ? ["a late wake-up gives more time"] : []
  }
}
