import GatewayCore
import GatewayKit

/// A behaviour of a gateway that a client under test must handle. Each is declared in a file of its own.
struct Behaviour: Sendable {
  /// The token that the client starts with, besides the address of its provider.
  enum Token: Hashable, Sendable {
    case living(Duration)
    /// A token that has expired by the time the client starts.
    case expired
  }

  let name: String
  /// The behaviours of the conventions that this one shows.
  let covers: [String]
  /// One sentence: what happens, and what the client must do.
  let sentence: String
  /// The `postern serve` options of the behaviour's space.
  var settings: [JSONMember] = []
  var isFrozen = false
  var token = Token.living(.seconds(3_600))
  /// Runs before the client starts, if that client is known to get its first token from its provider.
  var prelude: (@Sendable (ConformScene) async throws -> Void)?
  /// The feature that a wire needs for a client to show the behaviour.
  var needs: WireFeature?
  /// Whether it depends on the status of a refused upgrade, which browsers do not show.
  var needsStatus = false
  /// The meanings that ends must have on a described wire for the behaviour to be tried there.
  var meanings: [EndMeaning] = []
  /// The reason why it depends on a built-in dialect; nil if it can be tried on a described wire.
  var ofBuiltIn: String?
  /// The script and demands for a wire without refreshes, on which clients reconnect with another token; nil for the usual
  /// ones.
  var returning: Returning?
  /// The script and demands for a wire whose clients renew on a timer; nil if the behaviour cannot be shown there.
  var timed: Timed?
  /// Runs once the client has started.
  let script: @Sendable (ConformScene) async throws -> Void
  /// The demands on the client, checked after the script.
  let expected: [Demand]
  /// The time that the verdicts may wait after the script.
  var patience = Duration.seconds(15)
  /// The maximum duration of the whole run, in real time.
  var bound = Duration.seconds(60)
  /// Whether the client must present a token on its open connection.
  var presentsTokens = false

  /// A script and its demands for wires without refreshes.
  struct Returning: Sendable {
    /// The script; nil for the same one as on other wires.
    var script: (@Sendable (ConformScene) async throws -> Void)?
    let expected: [Demand]
  }

  /// A script and its demands for wires whose clients renew on a timer.
  struct Timed: Sendable {
    /// The script; nil for the same one as on other wires. In it ``ConformScene/expire()`` waits for the timer.
    var script: (@Sendable (ConformScene) async throws -> Void)?
    /// Whether the client's first token lives for seconds only, so that its timer goes off in the run.
    var isShort = true
    let expected: [Demand]
  }

  /// Whether it is about refreshes on the connection, for which some wires have no message.
  var isOfRefreshes: Bool {
    presentsTokens
      || expected.contains { [Demand.refreshedInTime.name, Demand.keepsConnection.name].contains($0.name) }
      || covers.contains(where: Self.refreshes.contains)
  }

  /// Returns the demands on a client that renews in that way.
  func demands(_ how: RefreshHabit.How) -> [Demand] {
    switch how {
    case .asked: expected
    case .timer, .http, .pushed: timed?.expected ?? expected
    case .reconnect, .none: returning?.expected ?? expected
    }
  }

  /// Returns how long the verdicts may wait on such a wire. A client that reconnects with another token has 20 s, and its
  /// verdict comes after them.
  ///
  /// - Parameter grace: How long the wire's gateway keeps a connection whose token has expired.
  func patience(_ how: RefreshHabit.How, grace: Duration) -> Duration {
    switch how {
    case .asked: patience
    case .timer, .http, .pushed: timed == nil ? patience : max(patience, grace + .seconds(10))
    case .reconnect, .none: returning == nil ? patience : max(patience, .seconds(25))
    }
  }

  /// Returns the maximum duration of the whole run, in real time.
  ///
  /// - Parameters:
  ///   - firstLife: The life of the client's first token, if its timer goes off in the run.
  ///   - grace: How long the wire's gateway keeps a connection whose token has expired.
  func bound(firstLife: Duration?, grace: Duration) -> Duration {
    guard let firstLife else { return bound }
    return bound + firstLife * 3 + grace
  }

  /// Returns the script for such a wire.
  func script(_ how: RefreshHabit.How) -> @Sendable (ConformScene) async throws -> Void {
    switch how {
    case .asked: script
    case .timer, .http, .pushed: timed?.script ?? script
    case .reconnect, .none: returning?.script ?? script
    }
  }

  /// Returns why no client of a wire can show the behaviour; nil if one can.
  ///
  /// - Parameters:
  ///   - wire: The wire.
  ///   - how: How its clients renew.
  func reasonAgainst(_ wire: ConformWire, _ how: RefreshHabit.How) -> String? {
    if let reason = wire.reason(against: self) ?? needs.flatMap({ wire.lacks[$0] }) { return reason }
    switch how {
    case .asked: return nil
    case .timer, .http:
      guard isOfRefreshes, timed == nil else { return nil }
      return "the gateway of \(wire.name) asks for no token: its clients renew on a timer"
    case .reconnect:
      guard isOfRefreshes, returning == nil else { return nil }
      return "\(wire.name) has no answer to a request for a token: its gateway closes, and clients come back"
    case .pushed:
      return isOfRefreshes ? "the gateway of \(wire.name) pushes tokens: its clients ask for none after the first" : nil
    case .none: return isOfRefreshes ? "clients of \(wire.name) renew no token" : nil
    }
  }

  /// The behaviours of the refresh exchange itself.
  private static let refreshes: Set<String> = ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "E7", "E8", "T9"]

  /// The settings of a gateway with a refresh timeout of 5 s.
  static let impatient = [
    JSONMember("refresh-timeout", "5s"), JSONMember("any-refresh-timeout", json: "true"),
  ]

  /// All behaviours, in the order in which they are listed.
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
