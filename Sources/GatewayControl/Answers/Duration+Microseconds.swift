internal import GatewayCore

extension Duration {
  /// The duration in seconds, to the microsecond, which is also the resolution of a token's dates.
  var inWholeMicroseconds: Double {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(nanoseconds < 0 ? -500 : 500)
    return overflow ? inSeconds : Double(sum / 1000) / 1e6
  }
}
