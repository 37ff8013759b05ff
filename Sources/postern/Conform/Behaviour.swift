import GatewayCore
import GatewayKit

/// A behaviour of a gateway that a client has to handle, e.g. a refresh request in good time. Each stands in a file of its
/// own.
struct Behaviour: Sendable {
  /// The token that the client begins with, beside the address of its provider.
  enum Token: Hashable, Sendable {
    case living(Duration)
    /// One that has expired by the time the client starts.
    case expired
  }

  let name: String
  /// Which behaviours of the conventions it shows.
  let covers: [String]
  /// What happens, and what the client has to do, in one sentence.
  let sentence: String
  /// The options of `postern serve` that its space has.
  var settings: [JSONMember] = []
  var isFrozen = false
  var token = Token.living(.seconds(3_600))
  /// The part of the script before the start of a client that is known to get its first token from its provider.
  var prelude: (@Sendable (ConformScene) async throws -> Void)?
  /// The feature of the wire that the behaviour needs; nil for none.
  var needs: WireFeature?
  /// Whether it is about the status of a refused upgrade, which browsers do not show.
  var needsStatus = false
  /// The script and the demands on a wire without refreshes, whose clients return with another token; nil for none.
  var returning: Returning?
  /// What happens, once the client has started.
  let script: @Sendable (ConformScene) async throws -> Void
  /// The demands on the client when the script is over.
  let expected: [Demand]
  /// How long the verdicts may wait for what is to happen, or not to happen, then.
  var patience = Duration.seconds(15)
  /// How long all of it may take, in real time.
  var bound = Duration.seconds(60)
  /// Whether the client has to present a token on the connection that it has.
  var presentsTokens = false

  /// A script and its demands for wires without refreshes.
  struct Returning: Sendable {
    /// Nil for the same as elsewhere.
    var script: (@Sendable (ConformScene) async throws -> Void)?
    let expected: [Demand]
  }

  /// Whether it is about refreshes on the connection, which some wires have no message for.
  var isOfRefreshes: Bool {
    presentsTokens
      || expected.contains { [Demand.refreshedInTime.name, Demand.keepsConnection.name].contains($0.name) }
      || covers.contains(where: Self.refreshes.contains)
  }

  /// Returns the demands on the client on a wire with or without refreshes.
  func demands(hasRefreshes: Bool) -> [Demand] {
    hasRefreshes ? expected : returning?.expected ?? expected
  }

  /// How long the verdicts may wait on such a wire. A client that comes back with another token has 20 s for it, and its verdict
  /// falls after them.
  func patience(hasRefreshes: Bool) -> Duration {
    hasRefreshes || returning == nil ? patience : max(patience, .seconds(25))
  }

  /// Returns the script on such a wire.
  func script(hasRefreshes: Bool) -> @Sendable (ConformScene) async throws -> Void {
    hasRefreshes ? script : returning?.script ?? script
  }

  /// Why no client of that wire, which `lacks` some features, can show it; nil if one can.
  func reasonAgainst(_ dialect: String, lacks: [WireFeature: String] = [:], hasRefreshes: Bool) -> String? {
    if let reason = needs.flatMap({ lacks[$0] }) { return reason }
    guard !hasRefreshes, isOfRefreshes, returning == nil else { return nil }
    return "\(dialect) has no answer to a request for a token: its gateway closes, and clients come back"
  }

  /// The behaviours of the exchange itself.
  private static let refreshes: Set<String> = ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "E7", "E8", "T9"]

  /// The settings of a gateway that waits for 5 s only when it has asked for a token.
  static let impatient = [
    JSONMember("refresh-timeout", "5s"), JSONMember("any-refresh-timeout", json: "true"),
  ]

  /// All that there are, in the order in which they are told.
  static let all: [Behaviour] = [
    .refreshAtLead, .refreshAllDay, .refreshAtExpiry, .refreshAfterRevocation, .veryLongLife, .deadOnArrival,
    .expiredWhileAway, .cutOffByTimeout, .lostWhileAsking, .revokedAndClosed, .revokedForGood, .failingProvider,
    .keysWithdrawn, .providerRefuses, .providerBusy, .providerSilent, .expiredToken, .malformedToken, .earlyToken,
    .tokenOfAnother, .sameToken, .tokenRefused, .refusedForNow, .slowLine,
    .requestLost, .requestTwice, .replyLost, .replyLate, .replyTwice, .unknownMessage, .restart, .goingAway, .overload,
    .connectionReset, .halfOpen, .unfinishedClose, .neverAnswered, .welcomeLost, .retryLater, .turnedAwayOnce,
    .closedForGood, .closedByPolicy, .forbidden, .wrongFamily, .returnBand, .refreshSignalled, .shortLife,
    .graceRunsOut, .lastTick, .expiredInRequest, .closedBeforeReply, .refusedInWords, .shortSilence, .lateEnd,
    .wrongClock,
  ]
}

/// An expectation as the control API is asked for it, e.g. `stops_after`, at most three.
struct Demand: Sendable {
  let name: String
  var members: [JSONMember] = []
  /// Whether it counts calls of the provider alone, which are counted from the first login on.
  var isOfProvider = false

  static let singleFlight = Demand(name: "single_flight")
  static let oneProviderCallPerExpiry = Demand(name: "one_provider_call_per_expiry")
  static let keepsConnection = Demand(name: "keeps_connection")
  static let refreshedInTime = Demand(name: "refreshed_in_time")
  static let backoffHasJitter = Demand(name: "backoff_has_jitter")

  static func comesBack(within limit: Duration, newToken: Bool = false) -> Demand {
    Demand(name: "comes_back", members: [.milliseconds("within_ms", limit), .bool("new_token", newToken)])
  }

  static func noAttemptAfterTerminal(quiet: Duration) -> Demand {
    Demand(name: "no_attempt_after_terminal", members: [.milliseconds("quiet_ms", quiet)])
  }

  /// At most so many attempts to connect without a new token. One is what some vendors' SDKs begin with.
  static func stopsTrying(_ most: Int = 1, quiet: Duration) -> Demand {
    stopsAfter(most, "stale_connection", quiet: quiet)
  }

  static func stopsAfter(_ most: Int, _ attempt: String = "connection", quiet: Duration) -> Demand {
    Demand(
      name: "stops_after",
      members: [
        JSONMember("at_most", json: String(most)), JSONMember("attempt", attempt), .milliseconds("quiet_ms", quiet),
      ], isOfProvider: Name(attempt) == Name("provider"))
  }

  static func waitsAtLeast(_ least: Duration, since kind: String) -> Demand {
    Demand(name: "waits_at_least", members: [.milliseconds("at_least_ms", least), JSONMember("since", kind)])
  }
}

extension JSONMember {
  fileprivate static func milliseconds(_ name: String, _ duration: Duration) -> JSONMember {
    JSONMember(name, json: String(duration.milliseconds))
  }

  fileprivate static func bool(_ name: String, _ value: Bool) -> JSONMember {
    JSONMember(name, json: value ? "true" : "false")
  }
}
