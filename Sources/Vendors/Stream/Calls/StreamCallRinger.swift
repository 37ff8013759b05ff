package import GatewayCore
import GatewayKit

/// The bell of calls, which ends rings: who has given no answer when the call's `missed_call_timeout_ms` has passed has
/// missed it.
///
/// The rings are the directory's; this sleeps until the first of them ends. So those of an earlier life of the gateway end
/// too, and of several who end one the store lets one tell.
package actor StreamCallRinger {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How many rings are looked at in one step.
  private static let pageSize = 100

  private let executor: any (SerialExecutor & TaskExecutor)
  private let calls: StreamCalls
  /// When it looks next; nil while nothing rings.
  private var wakesAt: WallTime?
  /// How often in a row it was woken before its time.
  private var earlyCount = 0

  /// - Parameters:
  ///   - executor: One that `GatewayServices.sleep(for:as:)` may be called from: a loop of the gateway.
  ///   - calls: Whose rings it watches.
  package init(on executor: any (SerialExecutor & TaskExecutor), calls: StreamCalls) {
    self.executor = executor
    self.calls = calls
  }

  /// The ring for `users` of what was made of the call; nil if nobody is reported as having missed it.
  nonisolated static func ring(for users: [UserID], of call: StreamCall, at now: WallTime) -> StreamRing? {
    let timeout = StreamCallSettings(of: call).number("ring.missed_call_timeout_ms") ?? 0
    guard timeout > 0, !users.isEmpty, let session = call.liveSession else { return nil }
    return StreamRing(call: call.id, session: session.id, users: Set(users), endsAt: now + .milliseconds(timeout))
  }

  /// Ends the participations and the rings that an earlier life of the gateway left behind. May be called from anywhere.
  package func begin(at now: WallTime) async throws(GatewayError) {
    try await calls.endLeftovers(at: now)
    await look()
  }

  /// Ends what has ended, and sees to the rest. Where the store is away it is asked again.
  private func look() async {
    let now = calls.services.wallTime
    do throws(GatewayError) {
      while true {
        let rings = try await calls.directory.firstRings(Self.pageSize, at: now)
        for ring in rings where ring.endsAt <= now { try await end(ring, at: now) }
        guard let last = rings.last, last.endsAt <= now else {
          if let next = rings.first(where: { $0.endsAt > now }) { look(at: next.endsAt) }
          return
        }
      }
    } catch {
      look(at: now + StreamCalls.patience)
    }
  }

  /// Has the rings looked at then, and returns at once.
  func look(at time: WallTime) {
    if let wakesAt, wakesAt <= time { return }
    wakesAt = time
    Task.immediate(executorPreference: executor) {
      await self.calls.services.sleep(
        for: max(.milliseconds(1), time - self.calls.services.wallTime), as: "a call that rings")
      await self.wake(from: time)
    }
  }

  private func wake(from time: WallTime) async {
    // Somebody else has been told to look earlier.
    guard wakesAt == time else { return }
    wakesAt = nil
    // A clock may be put back. Where nobody sleeps at all any more the gateway has ended.
    earlyCount = calls.services.wallTime < time ? earlyCount + 1 : 0
    guard earlyCount < 3 else {
      earlyCount = 0
      return
    }
    await look()
  }

  private func end(_ ring: StreamRing, at now: WallTime) async throws(GatewayError) {
    try await calls.directory.turns.inTurn(of: ring.call) { () async throws(GatewayError) in
      let change = try await calls.directory.endRing(ring, at: now) { $0.miss(ring.users, of: ring.session, at: now) }
      if let change { await calls.tell(change.happenings(by: nil, at: now), of: change.after, at: now) }
    }
  }
}
