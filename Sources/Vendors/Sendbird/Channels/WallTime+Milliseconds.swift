internal import GatewayCore

extension WallTime {
  /// Whole milliseconds since the epoch, in which Sendbird tells times.
  var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// The time so many milliseconds after 1970; the last there is for more than can be told.
  init(milliseconds: Int64) {
    self = WallTime(nanoseconds: 0) + .milliseconds(milliseconds)
  }
}
