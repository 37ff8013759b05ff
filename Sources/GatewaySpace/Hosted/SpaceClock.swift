internal import GatewayCore

/// The two clocks of a hosted space: the time of its sessions and the time of day.
///
/// Each clock is ahead of its host's by what it was moved, or stands still.
struct SpaceClock {
  /// How far each is ahead while it runs.
  private var lead = Duration.zero
  private var wallLead = Duration.zero
  /// The times of the clocks while they stand still.
  private var standsAt: Instant?
  private var wallStandsAt: WallTime?

  /// Whether the time of sessions stands still.
  var isStanding: Bool { standsAt != nil }

  func now(_ host: Instant) -> Instant { standsAt ?? host + lead }

  func wallTime(_ host: WallTime) -> WallTime { wallStandsAt ?? host + wallLead }

  /// Returns the host's time at `instant` of this clock; nil while time stands still.
  func hostTime(of instant: Instant) -> Instant? { isStanding ? nil : instant - lead }

  mutating func stop(at host: Instant) { standsAt = now(host) }

  mutating func stopWall(at host: WallTime) { wallStandsAt = wallTime(host) }

  /// Sets the time of day, whether it stands still or not.
  mutating func setWall(to wall: WallTime, at host: WallTime) {
    if wallStandsAt != nil { wallStandsAt = wall } else { wallLead = wall - host }
  }

  mutating func run(from host: Instant) {
    lead = now(host) - host
    standsAt = nil
  }

  mutating func runWall(from host: WallTime) {
    wallLead = wallTime(host) - host
    wallStandsAt = nil
  }

  /// Advances the time of sessions, which must stand still.
  mutating func move(by duration: Duration) {
    standsAt = standsAt.map { $0 + duration }
  }

  /// Advances the time of day, which must stand still.
  mutating func moveWall(by duration: Duration) {
    wallStandsAt = wallStandsAt.map { $0 + duration }
  }
}
