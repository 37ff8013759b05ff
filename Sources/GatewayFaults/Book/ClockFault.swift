package import GatewayCore

/// A fault of the gateway's own clock. It affects everything that the gateway does, e.g. valid tokens seem expired.
package protocol ClockFault: Fault {
  var error: ClockError { get }
}

extension ClockFault {
  package static var isOfAll: Bool { true }
}

/// An error of a clock: an offset and a drift, e.g. 30 s ahead and an hour more each day.
package struct ClockError: Hashable, Sendable {
  private let ahead: Duration
  /// The gain in each second, in seconds.
  private let drift: Double

  package static let members = ["ahead_s", "drift"]
  private static let year = 31_536_000.0
  /// Two hundred years either way. A time of day ends in 2262, since it counts nanoseconds; later times stay there.
  private static let aheadMax = 200 * year

  package init(_ fields: FaultFields) throws(GatewayError) {
    let ahead = try fields.number("ahead_s", in: -Self.aheadMax...Self.aheadMax)
    let drift = try fields.number("drift", in: -1...10)
    guard ahead != nil || drift != nil else {
      throw .invalidParameter.detailed("a clock is wrong by ahead_s, which may be negative, or by drift, or by both")
    }
    self.ahead = .saturating(seconds: ahead ?? 0)
    self.drift = drift ?? 0
  }

  /// Returns how far the clock is ahead when it has been wrong for `duration`; behind if negative.
  package func offset(after duration: Duration) -> Duration {
    let gained = min(max(duration.inSeconds * drift, -10 * Self.year), 10 * Self.year)
    return ahead + .saturating(seconds: gained)
  }
}
