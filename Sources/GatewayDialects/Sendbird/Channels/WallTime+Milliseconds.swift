internal import GatewayCore

extension WallTime {
  /// Whole milliseconds since the epoch, in which Sendbird tells times.
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
