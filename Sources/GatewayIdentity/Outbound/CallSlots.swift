internal import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// The places of requests in flight, shared by all loops, and the queue for them.
final class CallSlots: Sendable {
  static let inFlightMax = 64
  static let waitingMax = 10_000

  enum Entry { case entered, full, late }

  private struct State: ~Copyable {
    var inFlight = 0
    /// The callers that wait, or have given up, in order of arrival.
    var queue: [Waiter] = []
    var first = 0
    var waiting = 0
  }

  /// A request that waits for its place. Its flag is behind the lock of the slots.
  ///
  /// `@unchecked Sendable`: see above.
  private final class Waiter: @unchecked Sendable {
    var isOver = false
    let enter: @Sendable (Entry) -> Void

    init(_ enter: @escaping @Sendable (Entry) -> Void) { self.enter = enter }
  }

  private let state = Mutex(State())

  /// The numbers of requests in flight and of waiting requests.
  var counts: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.waiting) } }

  /// Waits for a place until `end`. Whoever has entered calls ``leave()``. Only from a task on the loop.
  nonisolated(nonsending) func enter(on loop: EventLoop, until end: Instant) async -> Entry {
    let atOnce = state.withLock { state -> Entry? in
      guard state.inFlight >= Self.inFlightMax else {
        state.inFlight += 1
        return .entered
      }
      return state.waiting >= Self.waitingMax ? .full : nil
    }
    if let atOnce { return atOnce }
    var waiter: Waiter?
    let entry = await TimedAnswer.of(on: loop, until: end, orElse: Entry.late) { answer in
      let new = Waiter(answer)
      waiter = new
      if add(new) { answer(.entered) }
    }
    guard entry == .late, let waiter else { return entry }
    let wasGiven = state.withLock { state in
      if !waiter.isOver {
        waiter.isOver = true
        state.waiting -= 1
        return false
      }
      return true
    }
    // Its place was given to it as its time ended.
    if wasGiven { leave() }
    return .late
  }

  /// Adds a waiter. Returns true if a place has become free by now, which the waiter then has.
  private func add(_ waiter: Waiter) -> Bool {
    state.withLock { state in
      if state.inFlight < Self.inFlightMax {
        state.inFlight += 1
        waiter.isOver = true
        return true
      }
      if state.queue.count > 2 * Self.waitingMax {
        state.queue = state.queue[state.first...].filter { !$0.isOver }
        state.first = 0
      }
      state.queue.append(waiter)
      state.waiting += 1
      return false
    }
  }

  /// Gives the place to the first who waits, or frees it. From any thread.
  func leave() {
    let next = state.withLock { state -> Waiter? in
      while state.first < state.queue.count {
        let waiter = state.queue[state.first]
        state.first += 1
        guard !waiter.isOver else { continue }
        waiter.isOver = true
        state.waiting -= 1
        return waiter
      }
      (state.queue, state.first) = ([], 0)
      state.inFlight -= 1
      return nil
    }
    next?.enter(.entered)
  }
}
