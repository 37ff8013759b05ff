/// The delays of a client before its attempts to reconnect, e.g. 1 s, 2 s, 4 s, then always 8 s.
package enum ReturnSchedule: Hashable, Sendable {
  /// Uniformly random between min(max(`low`, (n - 1)·`step`), `cap`) and min(`high` + n·`step`, `cap`) after n
  /// failures. With `firstAtOnce` the first attempt has no delay.
  case window(low: Duration, high: Duration, step: Duration, cap: Duration, firstAtOnce: Bool)
  /// Uniformly random between n·`step` and n·`step` + `jitter`, at most `cap`, before attempt n of an outage, counted
  /// from 1.
  case linear(step: Duration, jitter: Duration, cap: Duration)
  /// These delays in order, and then no further attempt.
  case list([Duration])
  /// No delay, then `first`, then each delay `factor` times the one before, up to `cap`. At most `tries` attempts;
  /// unlimited if nil.
  case growing(first: Duration, factor: Double, cap: Duration, tries: Int?)
  /// `first`, then each delay `factor` times the one before, up to `cap`; with `isJittered` a random time between zero
  /// and that. At most `tries` attempts; unlimited if nil.
  case backoff(first: Duration, factor: Double, cap: Duration, isJittered: Bool, tries: Int?)

  /// Returns the delay before attempt number `attempt` (from 0) of one outage, after `failures` in a row; nil if there
  /// is no further attempt.
  package func wait(attempt: Int, failures: Int, chance: inout SeededGenerator) -> Duration? {
    switch self {
    case .window(let low, let high, let step, let cap, let firstAtOnce):
      if firstAtOnce && attempt == 0 { return .zero }
      let least = min(max(low, step * max(0, failures - 1)), cap)
      let most = min(high + step * max(0, failures), cap)
      return least + .nanoseconds(Int64(Double((most - least).nanoseconds) * chance.nextShare()))
    case .linear(let step, let jitter, let cap):
      let steps = min(max(0, attempt), Self.stepsMax) + 1
      return min(step * steps + .nanoseconds(Int64(Double(jitter.nanoseconds) * chance.nextShare())), cap)
    case .list(let waits):
      return waits.indices.contains(attempt) ? waits[attempt] : nil
    case .growing(let first, let factor, let cap, let tries):
      if let tries, attempt >= tries { return nil }
      if attempt == 0 { return .zero }
      var seconds = first.inSeconds
      // Bounded: the product reaches the cap long before this many steps.
      for _ in 1..<max(1, min(attempt, 64)) { seconds = min(seconds * factor, cap.inSeconds) }
      return .nanoseconds(Int64(min(seconds, cap.inSeconds) * 1e9))
    case .backoff(let first, let factor, let cap, let isJittered, let tries):
      if let tries, attempt >= tries { return nil }
      var seconds = min(first.inSeconds, cap.inSeconds)
      for _ in 0..<max(0, min(attempt, 64)) { seconds = min(seconds * factor, cap.inSeconds) }
      return .nanoseconds(Int64(seconds * (isJittered ? chance.nextShare() : 1) * 1e9))
    }
  }

  /// The step count from which every delay is at its cap.
  private static let stepsMax = 1 << 16
}
