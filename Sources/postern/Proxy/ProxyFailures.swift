import GatewayCore
import GatewayProxy
import GatewayRuntime

/// The lines on standard error about requests that the target did not answer, or that were refused. At most one a second after
/// the first ten. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
final class ProxyFailures: @unchecked Sendable {
  private let loop: EventLoop
  private lazy var lines = TokenBucket(rate: 1, capacity: 10, at: loop.now)

  init(on loop: EventLoop) {
    self.loop = loop
  }

  func report(_ refusal: ProxyRefusal) {
    guard lines.take(at: loop.now) else { return }
    let text = VisibleText.escaping("postern: \(refusal.status) \(refusal.name): \(refusal.text)", keeping: "")
    LineWriter.standardError.add(text + "\n")
  }
}
