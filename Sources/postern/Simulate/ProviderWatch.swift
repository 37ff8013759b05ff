import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayRuntime
import Synchronization

/// A watch over the token provider of a simulated gateway during a storm: the length of its queue, and the wait in it.
final class ProviderWatch: Sendable {
  private let provider: TokenProvider
  private let loop: EventLoop
  private let seen = Mutex(QueueFigures())

  /// - Parameter loop: The provider's.
  init(_ provider: TokenProvider, on loop: EventLoop) {
    self.provider = provider
    self.loop = loop
  }

  /// Looks once, as soon as the provider's loop has its turn. From any loop.
  func look(atSecond second: Int) {
    loop.execute { [self] in
      provider.assumeIsolated { provider in
        let figures = provider.figures
        seen.withLock { seen in
          seen.note(length: figures.queuedPeak)
          seen.sample(length: figures.queued, age: provider.longestWait.nanoseconds, atSecond: second)
          seen.made = Int(clamping: figures.minted)
          seen.madeForNobody = Int(clamping: figures.mintedForNobody)
        }
      }
    }
  }

  /// The figures that were seen.
  var figures: QueueFigures { seen.withLock { $0 } }
}
