internal import GatewayCore
internal import GatewayFleet

// The events of a scenario, phase by phase.

extension MachineWorld {
  mutating func begin(phase: WorldPhase) {
    for index in 0..<count {
      enter(index)
      marks.append(marks.isEmpty && phase.start == .zero ? StormResult() : ledger.result)
      provider.refusal = phase.refusal
    }
    // Tokens that exist by now but are presented later are revoked too.
    if phase.order == .revoke { revocations += 1 }
    for index in 0..<count {
      enter(index)
      carryOut(phase.order)
    }
  }

  /// Carries out an order for the sessions of the fleet at hand.
  private mutating func carryOut(_ order: ScenarioPhase.Order?) {
    switch order {
    case nil: return
    case .expire: orderAll(.expireNow)
    case .refresh: orderAll(.askForRefresh)
    case .revoke: orderAll(.revoked)
    case .disconnect: orderAll(.disconnect(.disconnected))
    case .restart: orderAll(.disconnect(.serviceRestart))
    }
  }

  /// Ends the tokens or the connections of a share of the clients. A larger share has all clients of a smaller one.
  mutating func push() {
    guard let push = settings.disturbance else { return }
    if push.kind == .backlog { return fillQueue(push.size) }
    var chance = SeededGenerator(seed: settings.plan.seed ^ 0x7075_7368_2121_2121)
    let event: SessionEvent = push.kind == .restart ? .disconnect(.serviceRestart) : .expireNow
    for index in 0..<started {
      guard chance.nextShare() < push.size, machines[index].session.grant != nil else { continue }
      tellSession(index, event)
    }
  }

  private mutating func orderAll(_ event: SessionEvent) {
    for index in 0..<started where machines[index].session.grant != nil { tellSession(index, event) }
  }

  /// Returns the counts of each phase that has begun; nil without a scenario. The last mark is that of the end.
  func phaseResults(until end: Double) -> [PhaseResult]? {
    guard !phases.isEmpty else { return nil }
    let begun = phases.prefix(max(0, marks.count - 1))
    return begun.enumerated().map { index, phase in
      PhaseResult(
        name: phase.name, from: phase.start.inSeconds,
        to: index + 1 < begun.count ? begun[index + 1].start.inSeconds : max(end, phase.start.inSeconds),
        result: marks[index + 1].since(marks[index]))
    }
  }
}
