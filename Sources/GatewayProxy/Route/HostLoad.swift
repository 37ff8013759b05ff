internal import GatewayCore
package import GatewayRuntime

/// The load on one host, which all routes to that host share. Only on the loop.
///
/// `@unchecked Sendable`: used only on its loop.
package final class HostLoad: @unchecked Sendable {
  package let limits: ProxyLimits
  let loop: EventLoop
  /// The WebSockets that are open or being opened.
  private var connections = 0
  private var dials: TokenBucket?
  private var requests: TokenBucket?
  private var bytes: ByteBudget?

  package init(_ limits: ProxyLimits, on loop: EventLoop) {
    self.limits = limits
    self.loop = loop
    dials = limits.dialsPerSecond.map { TokenBucket(rate: $0, capacity: max(1, $0), at: loop.now) }
    requests = limits.requestsPerSecond.map { TokenBucket(rate: $0, capacity: max(1, $0), at: loop.now) }
    bytes = limits.bytesPerSecond.map { ByteBudget(bytesPerSecond: $0) }
  }

  /// A limit that is reached: its text, and how long to wait.
  struct Excess {
    let limit: String
    let wait: Duration
  }

  /// Counts one more WebSocket. Returns the limit that forbids it; nil if it may be opened.
  func open() -> Excess? {
    guard connections < limits.connections else {
      return Excess(limit: "\(limits.connections) connections", wait: .seconds(1))
    }
    if let wait = dials?.takeOrWait(at: loop.now) {
      return Excess(limit: "\(ProxyLimits.text(limits.dialsPerSecond)) dials/s", wait: wait)
    }
    connections += 1
    return nil
  }

  /// Counts the end of a WebSocket.
  func close() { connections -= 1 }

  /// Counts a request. Returns the limit that forbids it; nil if it may be sent.
  func request(ofBytes count: Int) -> Excess? {
    if let wait = bytes?.wait(at: loop.now) {
      return Excess(limit: "\(ProxyLimits.text(limits.bytesPerSecond)) bytes/s", wait: wait)
    }
    if let wait = requests?.takeOrWait(at: loop.now) {
      return Excess(limit: "\(ProxyLimits.text(limits.requestsPerSecond)) requests/s", wait: wait)
    }
    bytes?.spend(count, at: loop.now)
    return nil
  }

  /// Counts a message to the target. Returns how long its client has to wait before the next; nil if it has not.
  func spend(_ count: Int) -> Duration? {
    bytes?.spend(count, at: loop.now)
    return bytes?.wait(at: loop.now)
  }
}
