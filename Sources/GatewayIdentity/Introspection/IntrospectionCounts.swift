internal import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// The counts of opaque tokens.
final class IntrospectionCounts: Sendable {
  /// How a verdict was come by.
  enum Source: String, CaseIterable, Sendable {
    /// A request of its own.
    case miss
    case hit
    /// Another one's question that was under way.
    case joined
  }

  /// The server's answers, by outcome.
  enum Answer: String, CaseIterable, Sendable {
    case active, inactive
    /// Active, but not for this gateway, or without a user.
    case refused
    /// Nothing of use.
    case unjudged
  }

  /// The checks of the tokens of open sessions, by outcome.
  enum Recheck: String, CaseIterable, Sendable { case active, inactive, unjudged }

  private struct State {
    var sources: [Source: UInt64] = [:]
    var answers: [Answer: UInt64] = [:]
    var rechecks: [Recheck: UInt64] = [:]
    var failures = 0
    var toldAt: Instant?
  }

  private let state = Mutex(State())
  private static let logPause = Duration.seconds(60)

  func count(source: Source) { state.withLock { $0.sources[source, default: 0] += 1 } }

  func count(answer: Answer) { state.withLock { $0.answers[answer, default: 0] += 1 } }

  func count(recheck: Recheck) { state.withLock { $0.rechecks[recheck, default: 0] += 1 } }

  /// Counts a failure. Returns the number since the last logged one if this one must be logged.
  func failed(at now: Instant) -> Int? {
    state.withLock { state in
      state.failures += 1
      if let told = state.toldAt, now < told + Self.logPause { return nil }
      state.toldAt = now
      defer { state.failures = 0 }
      return state.failures
    }
  }

  func write(to page: inout PrometheusText) {
    let (sources, answers, rechecks) = state.withLock { ($0.sources, $0.answers, $0.rechecks) }
    page.counters(
      "postern_introspection_tokens_total", "Opaque tokens that were judged, by where the answer came from.",
      label: "source", Source.allCases.map { (value: $0.rawValue, count: sources[$0, default: 0]) })
    page.counters(
      "postern_introspection_answers_total", "What the introspection endpoint said.", label: "result",
      Answer.allCases.map { (value: $0.rawValue, count: answers[$0, default: 0]) })
    page.counters(
      "postern_introspection_rechecks_total", "Tokens of open sessions that were asked about again.", label: "result",
      Recheck.allCases.map { (value: $0.rawValue, count: rechecks[$0, default: 0]) })
  }
}
