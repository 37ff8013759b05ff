internal import GatewayCore
internal import GatewayRuntime

// The gateway's own clock.

extension FaultBook {
  /// Sets the error of the loop's time of day to that of the clock faults.
  func setClock() {
    guard standing.contains(where: { $0.order.fault is any ClockFault }) else {
      loop.wallError = nil
      return
    }
    loop.wallError = { [weak self] in self?.clockError ?? .zero }
  }

  /// The duration by which the loop's time of day is ahead now.
  private var clockError: Duration {
    let now = loop.now
    var error = Duration.zero
    for fault in standing {
      guard let clock = fault.order.fault as? any ClockFault, now >= fault.begins, now < fault.ends else { continue }
      error += clock.error.offset(after: now - fault.begins)
    }
    return error
  }
}
