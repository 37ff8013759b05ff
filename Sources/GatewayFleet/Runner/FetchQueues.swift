/// The queues of a process for its token providers: one for each provider and loop, which all fleets share.
///
/// `@unchecked Sendable`: the queues of a loop are touched only there.
final class FetchQueues: @unchecked Sendable {
  /// The queues of one loop, by the number of the provider.
  private final class Queues {
    var byProvider: [Int: FetchQueue] = [:]
  }

  private let loops: [Queues]

  init(loops count: Int) {
    loops = (0..<count).map { _ in Queues() }
  }

  /// Returns the queue of a loop for a provider, which `make` creates for the first fleet. Only on the loop.
  func queue(for provider: Int, onLoop loop: Int, _ make: () -> FetchQueue) -> FetchQueue {
    if let queue = loops[loop].byProvider[provider] { return queue }
    let queue = make()
    loops[loop].byProvider[provider] = queue
    return queue
  }
}
