internal import GatewayRuntime

/// A message on its way that arrives late, in the time of the network.
///
/// `@unchecked Sendable`: used only on the loops of its book.
final class LateMessage: WakeupTarget, @unchecked Sendable {
  private let arrive: () -> Void
  private(set) var wakeup: Wakeup!

  init(_ arrive: @escaping () -> Void) {
    self.arrive = arrive
    wakeup = Wakeup(target: self)
  }

  func wakeUp() { arrive() }
}
