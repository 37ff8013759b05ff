import GatewayCore
import GatewayProcess

extension SystemTime {
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
