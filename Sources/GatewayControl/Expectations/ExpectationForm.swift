package import GatewayCore
package import GatewayRuntime

/// An expectation in a request: its name, and the parameters that it takes or needs.
package struct ExpectationForm: Sendable {
  package let name: String
  package let takes: [ExpectationParameters.Name]
  private let needs: [ExpectationParameters.Name]
  private let make: @Sendable (ExpectationParameters) -> Expectation

  private init(
    _ name: String, takes: [ExpectationParameters.Name] = [], needs: [ExpectationParameters.Name] = [],
    make: @escaping @Sendable (ExpectationParameters) -> Expectation
  ) {
    (self.name, self.takes, self.needs, self.make) = (name, needs + takes, needs, make)
  }

  /// Returns the expectation. Throws `GatewayError.invalidParameter` if a parameter is missing, or is not one of its
  /// own.
  package func expectation(_ parameters: ExpectationParameters) throws(GatewayError) -> Expectation {
    for name in parameters.given where !takes.contains(name) {
      let own = takes.isEmpty ? "no parameters" : takes.map(\.rawValue).joined(separator: ", ")
      throw .invalidParameter.detailed("\(self.name) does not take \(name.rawValue); it takes \(own)")
    }
    for name in needs where !parameters.given.contains(name) {
      throw .invalidParameter.detailed("\(self.name) needs \(name.rawValue)")
    }
    return make(parameters)
  }

  private static let usualQuiet = Duration.seconds(1)

  /// All expectations.
  package static let all: [ExpectationForm] = [
    ExpectationForm("single_flight", takes: [.perConnection]) {
      .singleFlight(perConnection: $0.perConnection ?? false)
    },
    ExpectationForm("one_provider_call_per_expiry", takes: [.quiet]) {
      .oneProviderCallPerExpiry(quiet: $0.quiet ?? .milliseconds(200))
    },
    ExpectationForm("no_attempt_after_terminal", takes: [.quiet]) {
      .noAttemptAfterTerminal(quiet: $0.quiet ?? usualQuiet)
    },
    ExpectationForm("stops_after", takes: [.attempt, .quiet], needs: [.atMost]) {
      .stopsAfter($0.atMost ?? 0, $0.attempt ?? .connection, quiet: $0.quiet ?? usualQuiet)
    },
    ExpectationForm("waits_at_least", takes: [.since, .attempt], needs: [.atLeast]) {
      .waitsAtLeast($0.atLeast ?? .zero, after: $0.since ?? .closed, before: $0.attempt)
    },
    ExpectationForm("backoff_has_jitter", takes: [.since, .attempt]) {
      .backoffHasJitter(after: $0.since ?? .closed, before: $0.attempt)
    },
    ExpectationForm("refreshed_in_time", takes: [.within]) { .refreshedInTime(within: $0.within) },
    ExpectationForm("keeps_connection") { _ in .keepsConnection },
    ExpectationForm("comes_back", takes: [.within, .newToken]) {
      .comesBack(within: $0.within ?? .seconds(10), newToken: $0.newToken ?? false)
    },
    ExpectationForm("outlives_bad_signals") { _ in .outlivesBadSignals },
  ]
}

/// The parameters of an expectation.
package struct ExpectationParameters: Sendable {
  /// The kind of line at which a wait begins.
  package var since: JournalKind?
  package var attempt: ClientStory.Attempt?
  package var atLeast: Duration?
  package var atMost: Int?
  package var quiet: Duration?
  package var within: Duration?
  package var newToken: Bool?
  package var perConnection: Bool?

  package init() {}

  /// A parameter's name in requests.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case since, attempt
    case atLeast = "at_least_ms"
    case atMost = "at_most"
    case quiet = "quiet_ms"
    case within = "within_ms"
    case newToken = "new_token"
    case perConnection = "per_connection"
  }

  var given: [Name] {
    Name.allCases.filter { name in
      switch name {
      case .since: since != nil
      case .attempt: attempt != nil
      case .atLeast: atLeast != nil
      case .atMost: atMost != nil
      case .quiet: quiet != nil
      case .within: within != nil
      case .newToken: newToken != nil
      case .perConnection: perConnection != nil
      }
    }
  }
}
