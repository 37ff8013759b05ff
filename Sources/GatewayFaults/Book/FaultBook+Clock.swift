internal import GatewayCore
internal import GatewayRuntime

// The gateway's own clock.

extension FaultBook {
  /// Lets the loop's time of day be as wrong as the faults that stand have it.
  func setClock() {
    guard standing.contains(where: { $0.order.fault is any ClockFault }) else {
      loop.wallError = nil
      return
    }
    loop.wallError = { [weak self] in self?.clockError ?? .zero }
  }

  /// How far the loop's time of day is ahead now.
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
