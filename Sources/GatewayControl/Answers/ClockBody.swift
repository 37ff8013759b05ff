internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace

/// The time of a hosted space, the answer of `GET /spaces/t17/clock`.
package struct ClockBody: Codable, Sendable {
  /// The seconds since the space was made, in its own time.
  package let sessionS: Double
  /// The space's time of day, in seconds since 1970.
  package let wall: Double
  package let frozen: Bool
  package let movedS: Double
  /// The age of the journal in real time, as in its lines.
  package let realMs: Int64?
  package let sleeping: [SleepBody]

  private enum CodingKeys: String, CodingKey {
    case wall, frozen, sleeping
    case realMs = "real_ms"
    case sessionS = "session_s"
    case movedS = "moved_s"
  }

  init(_ space: HostedSpace) {
    sessionS = space.age.inWholeMicroseconds
    wall = space.loop.wallTime.seconds
    frozen = space.isFrozen
    movedS = space.moved.inWholeMicroseconds
    realMs = space.content.controllable.journal?.age.milliseconds
    sleeping = space.sleeping.map { SleepBody($0, at: space.loop.now) }
  }
}
