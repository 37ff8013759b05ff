package import GatewayCore

/// The virtual time of a simulated world: a monotonic clock, and the wall clock that belongs to it.
///
/// The monotonic clock is exact and only moves forward. The wall clock can be set and can drift, like a real one.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
package final class SimulatedTimeline: @unchecked Sendable {
  /// The time on the monotonic clock; begins at ``GatewayCore/Instant/zero``.
  package private(set) var now = Instant.zero
  /// The wall clock's value when it was last set, and the monotonic time at which that was.
  private var anchor: (shown: WallTime, at: Instant)
  private var driftPartsPerMillion: Int64 = 0

  init(wallStart: WallTime) {
    anchor = (wallStart, .zero)
  }

  /// The wall clock's time at ``now``.
  package var wallTime: WallTime {
    let elapsed = (now - anchor.at).nanoseconds
    return anchor.shown + .nanoseconds(elapsed) + .nanoseconds(elapsed / 1_000_000 * driftPartsPerMillion)
  }

  /// Sets the wall clock forward or back.
  package func jumpWallClock(by difference: Duration) {
    anchor = (wallTime + difference, now)
  }

  /// Makes the wall clock gain that many microseconds a second from now on; negative if it loses time.
  package func driftWallClock(partsPerMillion: Int64) {
    anchor = (wallTime, now)
    driftPartsPerMillion = partsPerMillion
  }

  func move(to instant: Instant) {
    precondition(instant >= now, "time only moves forward")
    now = instant
  }
}
