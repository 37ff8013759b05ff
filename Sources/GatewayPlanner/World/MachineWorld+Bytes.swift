internal import GatewayCore
internal import GatewayFleet

// The memory of a world.

extension MachineWorld {
  /// Returns the maximum number of bytes of a world with that many clients.
  package static func bytes(clients: Int) -> UInt64 {
    // The memory of each client: a grant on the heap, its kept session and one or two pending events. In a herd also a
    // request with its timeout and place in the queue, and the sorted events of one millisecond.
    let perClient =
      MemoryLayout<Machine>.stride + MemoryLayout<KeptSession>.stride + 160
      + 3 * EventWheel.bytesPerEvent + MemoryLayout<TokenRequest>.stride + 16
    return UInt64(clients) * UInt64(perClient) + 64 << 20
  }

  /// Returns the same for a world of several fleets.
  package static func bytes(fleets: [WorldSettings]) -> UInt64 {
    fleets.reduce(0) { $0 + bytes($1) }
  }

  /// Returns the same including the maximum of its provider's queue. Requests whose callers have gone wait in it too, a
  /// few of each client.
  package static func bytes(_ settings: WorldSettings) -> UInt64 {
    let plan = settings.plan
    let tries = 1 + settings.end(timeout: nil).inSeconds / max(0.001, plan.fetchTimeout.inSeconds)
    let waiting = min(Double(settings.provider.queue), Double(plan.clients) * tries)
    // A hash table is at least three eighths full.
    let counted = settings.provider.budgets.reduce(UInt64(0)) { sum, budget in
      let keys = budget.scope == .user ? plan.people : budget.scope == .address ? plan.addresses : 1
      return sum + UInt64(keys) * (budget.ban == nil ? 64 : 128)
    }
    let comeAndGo = plan.arrivals == nil ? 0 : 8 * plan.clients + plan.people
    let grants = plan.grants ?? GrantPlan()
    let sharing = settings.provider.rotation == nil ? 0 : RefreshState.bytes(grants, clients: plan.clients)
    let retrying = plan.retry?.per == .client ? RetryGates.bytesPerClient * plan.clients : 0
    return bytes(clients: plan.clients) + UInt64(comeAndGo + retrying) + sharing + counted
      + (settings.provider.budgets.isEmpty ? 0 : UInt64(plan.clients))
      + UInt64(waiting) * UInt64(MemoryLayout<TokenRequest>.stride + MemoryLayout<UInt32>.stride)
  }
}
