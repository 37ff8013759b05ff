import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayRuntime
import Synchronization

/// Measurements of a simulated gateway's token provider during a storm: the length of its queue and the waits.
final class ProviderWatch: Sendable {
  private let provider: TokenProvider
  private let loop: EventLoop
  private let seen = Mutex(QueueFigures())
  private let seenRotation = Mutex(RotationFigures?.none)

  /// Watches a provider.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - loop: The provider's loop.
  init(_ provider: TokenProvider, on loop: EventLoop) {
    self.provider = provider
    self.loop = loop
  }

  /// Measures once, at the next turn of the provider's loop. May be called from any loop.
  func look(atSecond second: Int) {
    loop.execute { [self] in
      provider.assumeIsolated { provider in
        let figures = provider.figures
        seenRotation.withLock { $0 = figures.rotation }
        seen.withLock { seen in
          seen.note(length: figures.queuedPeak)
          seen.sample(length: figures.queued, age: provider.longestWait.nanoseconds, atSecond: second)
          seen.made = Int(clamping: figures.minted)
          seen.madeForNobody = Int(clamping: figures.mintedForNobody)
        }
      }
    }
  }

  /// The refresh tokens so far; nil if none rotate.
  var rotation: RotationFigures? { seenRotation.withLock { $0 } }

  /// The measurements so far.
  var figures: QueueFigures { seen.withLock { $0 } }
}
