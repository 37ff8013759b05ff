import GatewayCore
import Glibc

/// The clocks of commands without a loop: time of day, time since boot and processor time.
enum SystemTime {
  static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The time since boot, which is never set back, for measuring durations.
  static var sinceBoot: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The processor time of this thread; other processes on the machine do not count.
  static var ofThisThread: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Returns the time as `2026-11-21T02:12:56Z` with its distance from `now`.
  static func text(_ time: WallTime, from now: WallTime) -> String {
    let distance = time - now
    let isPast = distance < .zero
    return
      "\(time.rfc3339()) (\(isPast ? "" : "in ")\(rough(isPast ? .zero - distance : distance))\(isPast ? " ago" : ""))"
  }

  /// Returns the duration in its largest fitting unit.
  private static func rough(_ duration: Duration) -> String {
    let seconds = duration.inSeconds
    let units: [(size: Double, name: String)] = [(86400, "d"), (3600, "h"), (60, "min")]
    for unit in units where seconds >= 2 * unit.size { return "\(Int(seconds / unit.size)) \(unit.name)" }
    return "\(Int(seconds)) s"
  }
}
