internal import GatewayCore
internal import GatewayRuntime

/// A task that waits for the space's time to move.
package struct SleepBody: Codable, Sendable {
  package let purpose: String
  package let wakesInMs: Int64

  private enum CodingKeys: String, CodingKey {
    case purpose
    case wakesInMs = "wakes_in_ms"
  }

  init(_ sleep: EventLoop.Sleep, at now: Instant) {
    purpose = sleep.purpose
    // The move has woken a task whose time has come.
    wakesInMs = (max(.zero, sleep.until - now) + .nanoseconds(999_999)).milliseconds
  }
}
