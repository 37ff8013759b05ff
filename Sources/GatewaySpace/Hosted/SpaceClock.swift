internal import GatewayCore

/// The two clocks of a hosted space: the time of its sessions and the time of day.
///
/// Each is as far ahead of its host's as it was moved, or stands still.
struct SpaceClock {
  /// How far each is ahead while it runs.
  private var lead = Duration.zero
  private var wallLead = Duration.zero
  /// The times that the clocks show while they stand.
  private var standsAt: Instant?
  private var wallStandsAt: WallTime?

  /// Whether the time of sessions stands still.
  var isStanding: Bool { standsAt != nil }

  func now(_ host: Instant) -> Instant { standsAt ?? host + lead }

  func wallTime(_ host: WallTime) -> WallTime { wallStandsAt ?? host + wallLead }

  /// When it is `instant` here, in the host's time; nil while time stands still.
  func hostTime(of instant: Instant) -> Instant? { isStanding ? nil : instant - lead }

  mutating func stop(at host: Instant) { standsAt = now(host) }

  mutating func stopWall(at host: WallTime) { wallStandsAt = wallTime(host) }

  /// Has the time of day be another one from now on, whether it stands still or not.
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

  /// Moves the time of sessions on, which stands still.
  mutating func move(by duration: Duration) {
    standsAt = standsAt.map { $0 + duration }
  }

  /// Moves the time of day on, which stands still.
  mutating func moveWall(by duration: Duration) {
    wallStandsAt = wallStandsAt.map { $0 + duration }
  }
}
