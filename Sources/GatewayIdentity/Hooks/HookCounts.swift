internal import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// The counts of the hooks, and the limit of one log line a minute for each cause.
final class HookCounts: Sendable {
  /// The result of a question.
  enum Result: String, CaseIterable, Sendable {
    case accepted, expired, refused, closed
    /// No usable answer.
    case unjudged
  }

  /// How a session's grace ended.
  enum Ending: String, CaseIterable, Sendable {
    /// The backend said that it goes on.
    case accepted
    /// The backend said that it does not.
    case refused
    /// The backend was away for too long.
    case outage
    /// The client left.
    case gone
  }

  /// The causes of lines in the log, of which each has one a minute.
  enum Cause: Hashable, Sendable {
    case failed(Hook)
    case graceBegun, graceEnded
  }

  private struct State {
    var results: [Hook: [Result: UInt64]] = [:]
    var endings: [Ending: UInt64] = [:]
    var onGrace = 0
    var told: [Cause: (at: Instant, untold: Int)] = [:]
  }

  private let state = Mutex(State())
  private static let logPause = Duration.seconds(60)

  var onGrace: Int { state.withLock { $0.onGrace } }

  func count(_ result: Result, of hook: Hook) {
    state.withLock { $0.results[hook, default: [:]][result, default: 0] += 1 }
  }

  func beginGrace() { state.withLock { $0.onGrace += 1 } }

  func endGrace(_ ending: Ending) {
    state.withLock {
      $0.onGrace -= 1
      $0.endings[ending, default: 0] += 1
    }
  }

  /// Counts an event. Returns the number of events since the last log line if this one is to be logged, and nil otherwise.
  func tells(_ cause: Cause, at now: Instant) -> Int? {
    state.withLock { state in
      let (at, untold) = state.told[cause] ?? (.zero, 0)
      guard state.told[cause] == nil || now >= at + Self.logPause else {
        state.told[cause] = (at, untold + 1)
        return nil
      }
      state.told[cause] = (now, 0)
      return untold + 1
    }
  }

  func write(to page: inout PrometheusText) {
    let (results, endings, onGrace) = state.withLock { ($0.results, $0.endings, $0.onGrace) }
    page.counters(
      "postern_hook_answers_total", "Answers of the application's backend to questions about its users.",
      labels: ["hook", "result"],
      Hook.allCases.flatMap { hook in
        Result.allCases.map {
          (values: [hook.rawValue, $0.rawValue], count: results[hook]?[$0] ?? 0)
        }
      })
    page.gauge(
      "postern_sessions_on_grace", "Sessions that go on because the application's backend cannot be asked.",
      Double(onGrace))
    page.counters(
      "postern_grace_ended_total", "Sessions that went on while the backend could not be asked, by how that ended.",
      label: "result", Ending.allCases.map { (value: $0.rawValue, count: endings[$0, default: 0]) })
  }
}
