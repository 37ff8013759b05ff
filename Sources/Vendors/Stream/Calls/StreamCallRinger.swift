internal import GatewayCore
import GatewayKit

/// A timer that ends rings: a user who has not answered within the call's `missed_call_timeout_ms` has missed it.
///
/// The directory stores the rings; this actor sleeps until the first one ends. It therefore also ends rings from before
/// a restart. If several gateways end the same ring, the store lets one of them announce it.
actor StreamCallRinger {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The number of rings that are read in one step.
  private static let pageSize = 100

  private let executor: any (SerialExecutor & TaskExecutor)
  private let calls: StreamCalls
  private let timer: DueTimer

  /// Creates the timer.
  ///
  /// - Parameters:
  ///   - executor: An executor from which `GatewayServices.sleep(for:as:)` may be called: a loop of the gateway.
  ///   - calls: The calls whose rings it watches.
  init(on executor: any (SerialExecutor & TaskExecutor), calls: StreamCalls) {
    self.executor = executor
    self.calls = calls
    timer = DueTimer("a call that rings", on: executor, services: calls.services)
  }

  /// Returns the ring for `users` of the changed call; nil if missed calls are not reported.
  nonisolated static func ring(for users: [UserID], of call: StreamCall, at now: WallTime) -> StreamRing? {
    let timeout = StreamCallSettings(of: call).number("ring.missed_call_timeout_ms") ?? 0
    guard timeout > 0, !users.isEmpty, let session = call.liveSession else { return nil }
    return StreamRing(call: call.id, session: session.id, users: Set(users), endsAt: now + .milliseconds(timeout))
  }

  /// Ends the participations that `dead` boots left, and the rings whose time has passed. May be called from any
  /// thread.
  func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(GatewayError) {
    try await calls.endLeftovers(of: dead, at: now)
    await look()
  }

  /// Ends the rings whose time has passed, and schedules the next look. Tries again if the store is unavailable.
  private func look() async {
    let now = calls.services.wallTime
    do throws(GatewayError) {
      while true {
        let rings = try await calls.directory.firstRings(Self.pageSize, at: now)
        for ring in rings where ring.endsAt <= now { try await end(ring, at: now) }
        guard let last = rings.last, last.endsAt <= now else {
          if let next = rings.first(where: { $0.endsAt > now }) { await look(at: next.endsAt) }
          return
        }
      }
    } catch {
      await look(at: now + DueTimer.retryDelay)
    }
  }

  /// Has the rings looked at then, and returns at once.
  func look(at time: WallTime) async {
    await timer.set(for: time) { await self.look() }
  }

  private func end(_ ring: StreamRing, at now: WallTime) async throws(GatewayError) {
    try await calls.directory.turns.inTurn(of: ring.call) { () async throws(GatewayError) in
      let change = try await calls.directory.endRing(ring, at: now) { $0.miss(ring.users, of: ring.session, at: now) }
      if let change { await calls.tell(change.happenings(by: nil, at: now), of: change.after, at: now) }
    }
  }
}
