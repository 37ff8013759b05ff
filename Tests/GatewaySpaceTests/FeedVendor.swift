import GatewayCore
import GatewayKit
import GatewayRuntime
import Synchronization

/// A vendor whose only resource is a feed of a test.
struct FeedVendor: Vendor {
  let feed: TestFeed
  let loop: EventLoop

  var bindings: [DialectBinding] { [] }

  func routes(with provider: TokenProvider) -> [HTTPRoute] {
    [HTTPRoute("GET", "/feed") { [feed, loop] _, _ in HTTPResponse(stream: feed.stream(on: loop)) }]
  }
}

/// A feed that a test controls.
final class TestFeed: VendorSettings {
  private let pieces: AsyncStream<String>
  private let giving: AsyncStream<String>.Continuation
  private let cancellations = Mutex(0)
  private let taken = Mutex(0)

  init() {
    (pieces, giving) = AsyncStream.makeStream()
    giving.onTermination = { [self] reason in
      if case .cancelled = reason { cancellations.withLock { $0 += 1 } }
    }
  }

  func vendor(on ground: Ground) throws -> FeedVendor {
    guard let loop = ground.executor as? EventLoop else { throw GatewayError.draining }
    return FeedVendor(feed: self, loop: loop)
  }

  /// The number of cancelled waits.
  var cancelled: Int { cancellations.withLock { $0 } }

  /// The number of delivered pieces.
  var given: Int { taken.withLock { $0 } }

  func give(_ text: String) { giving.yield(text) }

  func end() { giving.finish() }

  func stream(on loop: EventLoop) -> HTTPStream {
    HTTPStream { [self] in
      loop.preconditionOnLoop()
      for await piece in pieces {
        taken.withLock { $0 += 1 }
        return Array(piece.utf8)
      }
      loop.preconditionOnLoop()
      return nil
    }
  }
}
