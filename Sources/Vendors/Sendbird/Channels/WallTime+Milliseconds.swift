internal import GatewayCore

extension WallTime {
  /// The time as whole milliseconds since 1970, as Sendbird expresses times.
  var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// Creates the time that many milliseconds after 1970, at most the latest that can be represented.
  init(milliseconds: Int64) {
    self = WallTime(nanoseconds: 0) + .milliseconds(milliseconds)
  }
}
