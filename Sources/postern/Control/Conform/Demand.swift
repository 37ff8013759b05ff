import GatewayControl
import GatewayCore
import GatewayKit

/// An expectation that a client must meet, e.g. `stops_after` with its limit.
struct Demand: Sendable {
  /// The order to check it, without the client.
  let order: ExpectOrder
  /// Whether it counts only calls of the provider, which are counted from the first login on.
  var isOfProvider = false

  private init(_ order: ExpectOrder, isOfProvider: Bool = false) {
    (self.order, self.isOfProvider) = (order, isOfProvider)
  }

  var name: String { order.expect }

  static let singleFlight = Demand(ExpectOrder(expect: "single_flight"))
  static let singleFlightPerConnection = Demand(ExpectOrder(expect: "single_flight", perConnection: true))
  static let oneProviderCallPerExpiry = Demand(ExpectOrder(expect: "one_provider_call_per_expiry"))
  static let keepsConnection = Demand(ExpectOrder(expect: "keeps_connection"))
  static let refreshedInTime = Demand(ExpectOrder(expect: "refreshed_in_time"))
  static let backoffHasJitter = Demand(ExpectOrder(expect: "backoff_has_jitter"))

  static func comesBack(within limit: Duration, newToken: Bool = false) -> Demand {
    Demand(ExpectOrder(expect: "comes_back", withinMs: Int(limit.milliseconds), newToken: newToken))
  }

  static func noAttemptAfterTerminal(quiet: Duration) -> Demand {
    Demand(ExpectOrder(expect: "no_attempt_after_terminal", quietMs: Int(quiet.milliseconds)))
  }

  /// Returns the demand for at most `most` attempts to connect without a new token. Some vendors' SDKs begin with one.
  static func stopsTrying(_ most: Int = 1, quiet: Duration) -> Demand {
    stopsAfter(most, "stale_connection", quiet: quiet)
  }

  static func stopsAfter(_ most: Int, _ attempt: String = "connection", quiet: Duration) -> Demand {
    Demand(
      ExpectOrder(expect: "stops_after", attempt: attempt, atMost: most, quietMs: Int(quiet.milliseconds)),
      isOfProvider: Name(attempt) == Name("provider"))
  }

  static func waitsAtLeast(_ least: Duration, since kind: String) -> Demand {
    Demand(ExpectOrder(expect: "waits_at_least", since: kind, atLeastMs: Int(least.milliseconds)))
  }
}
