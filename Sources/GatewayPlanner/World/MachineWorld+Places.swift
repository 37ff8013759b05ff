internal import GatewayCore
internal import GatewayFleet

// Clients that come and go.

extension MachineWorld {
  /// Schedules the departure of a client that has just logged in for the first time.
  mutating func setDeparture(_ index: Int) {
    guard let client = places?.client(at: index), let stay = settings.plan.stay(of: client) else { return }
    let end = min(stay, WorldSettings.longest).nanoseconds
    wheel.add(.departs, at: now + end, subject: worldNumber(index), value: Int64(client))
  }

  /// Ends a client at the end of its stay, unless it ended before.
  mutating func depart(_ index: Int, client: Int) {
    guard places?.has(index, client) == true else { return }
    free(index, client)
    var effects: [ClientEffect] = []
    let wasConnected = machines[index].client.leave(into: &effects)
    for case .record(let record) in effects {
      ledger.record(record, machines[index].client.behaviour, at: Instant(nanoseconds: now))
    }
    if effects.contains(.close) { leaveGateway(index) }
    ledger.departed(wasConnected: wasConnected, at: Instant(nanoseconds: now))
  }

  /// Frees the place of a client that has ended by itself.
  mutating func noteEnd(_ index: Int) {
    guard machines[index].client.phase == .ended, let client = places?.client(at: index) else { return }
    free(index, client)
  }

  private mutating func free(_ index: Int, _ client: Int) {
    guard places?.leave(index, client) == true else { return }
    close(index)
  }

  /// Puts a client into the place of one that has gone. The connection and the request number distinguish events of the
  /// latter that are still in flight.
  mutating func follow(_ machine: Machine, at index: Int) {
    if machines[index].isSettled { ledger.settled -= 1 }
    if machines[index].isRefreshingAgain { ledger.refreshingAgain -= 1 }
    var machine = machine
    machine.client.follow(machines[index].client)
    machine.connection = machines[index].connection &+ 1
    machines[index] = machine
    if !kept.isEmpty { kept[index] = KeptSession() }
    if !refusedByBudget.isEmpty { refusedByBudget[index] = false }
    retries?.forget(index)
  }
}
