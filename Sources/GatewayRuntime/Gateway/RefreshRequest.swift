internal import GatewayCore

/// The frames of a refresh request, kept for the next connection with the same cause and timeout in milliseconds.
///
/// 15,000 sessions whose tokens expire in one second share nearly all of them.
struct RefreshRequest {
  let binding: UInt8
  let cause: RefreshCause
  let timeoutMilliseconds: Int64
  let frame: Frame
}

extension LoopTable {
  /// Returns the refresh request for a connection of the binding; nil if its text depends on the connection.
  func refreshRequest(
    _ cause: RefreshCause, _ timeout: Duration, of binding: DialectBinding, _ number: UInt8
  ) -> Frame? {
    let milliseconds = timeout.milliseconds
    if let last = lastRefreshRequest, last.binding == number, last.cause == cause,
      last.timeoutMilliseconds == milliseconds
    {
      return last.frame
    }
    guard binding.asksAllAlike else { return nil }
    let nobody = DialectContext(
      connection: ConnectionID(loop: loop.index, serial: 0), isLoggedIn: true, now: loop.wallTime)
    guard let frame = binding.dialect.encode(.refreshRequired(cause, timeout: timeout), nobody) else { return nil }
    lastRefreshRequest = RefreshRequest(binding: number, cause: cause, timeoutMilliseconds: milliseconds, frame: frame)
    return frame
  }
}
