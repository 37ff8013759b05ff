package import GatewayCore

/// The one line of time of a simulated world, and the time of day that belongs to it: it begins at
/// 2027-01-15T08:00:00Z, for instance.
///
/// The monotonic line is true and only moves forward; the clock on the wall can be set and can drift, as real ones do.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
package final class SimulatedTimeline: @unchecked Sendable {
  /// The time on the monotonic line; begins at ``GatewayCore/Instant/zero``.
  package private(set) var now = Instant.zero
  /// What the wall clock showed when somebody last touched it, and when that was.
  private var anchor: (shown: WallTime, at: Instant)
  private var driftPartsPerMillion: Int64 = 0

  init(wallStart: WallTime) {
    anchor = (wallStart, .zero)
  }

  /// The time of day at ``now``.
  package var wallTime: WallTime {
    let elapsed = (now - anchor.at).nanoseconds
    return anchor.shown + .nanoseconds(elapsed) + .nanoseconds(elapsed / 1_000_000 * driftPartsPerMillion)
  }

  /// Somebody sets the wall clock, forward or back.
  package func jumpWallClock(by difference: Duration) {
    anchor = (wallTime + difference, now)
  }

  /// From now on the wall clock gains that many microseconds in a second; negative if it loses.
  package func driftWallClock(partsPerMillion: Int64) {
    anchor = (wallTime, now)
    driftPartsPerMillion = partsPerMillion
  }

  func move(to instant: Instant) {
    precondition(instant >= now, "time only moves forward")
    now = instant
  }
}
