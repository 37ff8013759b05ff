internal import GatewayCore

/// A limit of bytes a second, with a burst of one second.
struct ByteBudget {
  private let bytesPerSecond: Double
  /// The time at which everything sent so far would have been sent at the limit.
  private var paidAt = Instant.zero

  init(bytesPerSecond: Double) {
    precondition(bytesPerSecond >= 1, "a budget lets something through")
    self.bytesPerSecond = bytesPerSecond
  }

  /// Counts bytes that are sent.
  mutating func spend(_ bytes: Int, at now: Instant) {
    paidAt = max(paidAt, now) + .nanoseconds(Int64((Double(bytes) / bytesPerSecond * 1e9).rounded(.up)))
  }

  /// Returns how long to send nothing more; nil if more may be sent now.
  func wait(at now: Instant) -> Duration? {
    let wait = paidAt - now - .seconds(1)
    return wait > .zero ? wait : nil
  }
}
