import GatewayFleet
import GatewayReport
import Synchronization

/// A watchdog that ends a storm by the rules of `--stop-when`, e.g. `connects.failed.share > 50% over 10s`.
final class StormWatchdog: Sendable {
  private struct State {
    var watch: StopWatch
    var reason: String?
    var stop: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  init(_ rules: [StopRule], endsHopeless: Bool) {
    state = Mutex(State(watch: StopWatch(rules, endsHopeless: endsHopeless)))
  }

  /// Sets the function that ends the storm. Calls it at once if the storm should already have ended.
  func whenItStops(_ stop: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.stop = stop
      return state.reason != nil
    }
    if isLate { stop() }
  }

  /// Checks the storm's progress.
  func look(at progress: StormProgress) {
    let stop = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.reason == nil, let reason = state.watch.reason(progress) else { return nil }
      state.reason = reason
      return state.stop
    }
    stop?()
  }

  /// Returns the result, with the reason if a rule ended the storm.
  func judged(_ result: StormResult) -> StormResult {
    guard let reason = state.withLock({ $0.reason }) else { return result }
    var result = result
    result.wasInterrupted = false
    result.stopped = reason
    return result
  }
}
