package import GatewayCore
internal import GatewayRuntime

extension HostedSpace {
  /// The times of day that a space may be set to: from 1970 to 2200, so that a hundred years of moves are left before the
  /// nanoseconds of its clock end, in 2262.
  package static let wallTimes = WallTime(seconds: 0)...WallTime(seconds: 7_258_118_400)

  /// The time of day that the text says by RFC 3339; nil if it is none that a space may be set to.
  package static func wallTime(_ text: String) -> WallTime? {
    guard let time = WallTime(rfc3339: text), wallTimes.contains(time) else { return nil }
    return time
  }

  /// Has the time of day be another one from now on. Sessions keep their deadlines, which are in the time of sessions; tokens
  /// are made and judged by the new time. Only on the host.
  package func setWall(to wall: WallTime) throws(Advance.Failure) {
    host.preconditionOnLoop()
    guard !isEnding else { throw .ended }
    guard let driver else { throw .timeIsReal }
    guard !isAdvancing else { throw .alreadyUnderWay }
    driver.setWall(to: wall)
    use()
  }
}
