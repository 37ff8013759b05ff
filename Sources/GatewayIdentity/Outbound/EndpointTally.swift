internal import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// The counts of the endpoints that share a name.
package final class EndpointTally: Sendable {
  /// The name in metrics and in the log.
  package let name: String

  struct Counts: Sendable {
    var results: [OutboundFailure.Result: UInt64] = [:]
    var seconds = Histogram()
    var breakersOpen: UInt64 = 0
  }

  private let state = Mutex(Counts())

  init(_ name: String) { self.name = name }

  var counts: Counts { state.withLock { $0 } }

  func count(_ result: OutboundFailure.Result, after time: Duration) {
    state.withLock {
      $0.results[result, default: 0] += 1
      if result != .notAsked { $0.seconds.record(time) }
    }
  }

  func breakerOpened() { state.withLock { $0.breakersOpen += 1 } }

  func breakerClosed() { state.withLock { $0.breakersOpen -= 1 } }
}
