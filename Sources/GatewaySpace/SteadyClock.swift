internal import GatewayCore

/// A clock that follows a time of day back at once, and ahead only after a day.
///
/// So the clock still knows what expired by a jump ahead if the jump is undone.
struct SteadyClock {
  /// How long the time of day must have been ahead before it is taken for right.
  static let doubt = Duration.seconds(86_400)

  /// The lead of the time of day over the monotonic line, the least of the last day.
  private var lead: Duration?
  /// The least lead since ``lead`` was exceeded, and when that began.
  private var higher: (lead: Duration, since: Instant)?

  /// Returns the earlier of `wall` and the time of day without its jumps ahead of the last day.
  mutating func time(at now: Instant, _ wall: WallTime) -> WallTime {
    let current = wall - WallTime(nanoseconds: now.nanoseconds)
    guard let known = lead, current > known else {
      lead = current
      higher = nil
      return wall
    }
    let since = higher?.since ?? now
    let least = min(higher?.lead ?? current, current)
    if now - since >= Self.doubt {
      lead = least
      higher = current > least ? (current, now) : nil
    } else {
      higher = (least, since)
    }
    return min(wall, wall + ((lead ?? current) - current))
  }
}
