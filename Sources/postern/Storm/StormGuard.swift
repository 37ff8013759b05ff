import GatewayFleet
import GatewayReport
import Synchronization

/// A guard that ends a storm which does more harm than it measures, by the rules of `--stop-when`.
final class StormGuard: Sendable {
  private struct State {
    var watch: StopWatch
    var reason: String?
    var stop: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  init(_ rules: [StopRule], endsHopeless: Bool) {
    state = Mutex(State(watch: StopWatch(rules, endsHopeless: endsHopeless)))
  }

  /// Says how the storm is ended, which is done at once if it is late for that.
  func whenItStops(_ stop: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.stop = stop
      return state.reason != nil
    }
    if isLate { stop() }
  }

  /// How far the storm is now.
  func look(at progress: StormProgress) {
    let stop = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.reason == nil, let reason = state.watch.reason(progress) else { return nil }
      state.reason = reason
      return state.stop
    }
    stop?()
  }

  /// The result, with the reason if it was ended here and not by somebody.
  func judged(_ result: StormResult) -> StormResult {
    guard let reason = state.withLock({ $0.reason }) else { return result }
    var result = result
    result.wasInterrupted = false
    result.stopped = reason
    return result
  }
}
