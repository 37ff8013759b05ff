internal import GatewayControl
internal import GatewayCore
internal import GatewayRuntime

extension PosternJournal {
  /// An expectation of a client, e.g. that it has one provider call under way at a time.
  public struct Expectation: Sendable, CustomStringConvertible {
    let expectation: GatewayControl.Expectation

    /// Its name in the control API, e.g. `single_flight`.
    public var description: String { expectation.name }

    /// The client never has two provider calls under way at once, and never presents two tokens for one request.
    public static let singleFlight = Expectation(expectation: .singleFlight())

    /// The same, but for calls whose connection has ended since they began: Centrifugo's official clients give such a call up and
    /// ask anew for their next connection.
    public static let singleFlightPerConnection = Expectation(expectation: .singleFlight(perConnection: true))

    /// Exactly one token is made for each refresh: none before the request, none after the answer, and not two between.
    /// Counts the calls of the built-in provider, `POST /v1/tokens` at ``PosternGateway/httpURL``.
    public static let oneProviderCallPerExpiry = oneProviderCallPerExpiry(quiet: .zero)

    /// Returns the same expectation, checked until `quiet` of real time has passed after the last refresh; undecided
    /// before that. A client with two calls in flight may be refreshed between them.
    public static func oneProviderCallPerExpiry(quiet: Duration) -> Expectation {
      Expectation(expectation: .oneProviderCallPerExpiry(quiet: quiet))
    }

    /// Returns the expectation that the client does not reconnect after a terminal close, checked for `quiet`.
    public static func noAttemptAfterTerminal(quiet: Duration = .seconds(1)) -> Expectation {
      Expectation(expectation: .noAttemptAfterTerminal(quiet: quiet))
    }

    /// Returns the expectation of at most `most` attempts, and none for `quiet` after them.
    public static func stopsAfter(
      _ most: Int, _ attempt: Attempt = .connection, quiet: Duration = .seconds(1)
    ) -> Expectation {
      Expectation(expectation: .stopsAfter(most, attempt.attempt, quiet: quiet))
    }

    /// Returns the expectation that the client waits `least` of real time after each line of the kind before it tries again.
    public static func waitsAtLeast(_ least: Duration, after kind: Kind = .closed) -> Expectation {
      Expectation(expectation: .waitsAtLeast(least, after: kind.kind))
    }

    /// Returns the expectation that the client's waits after lines of the kind differ by chance. It compares five waits of
    /// the same step of the backoff; fewer decide nothing.
    public static func backoffHasJitter(after kind: Kind = .closed) -> Expectation {
      Expectation(expectation: .backoffHasJitter(after: kind.kind))
    }

    /// Returns the expectation that each request for a token is answered on the same connection with an accepted one, within
    /// `limit` on the sessions' clock.
    public static func refreshedInTime(within limit: Duration? = nil) -> Expectation {
      Expectation(expectation: .refreshedInTime(within: limit))
    }

    /// The client refreshes on the same connection: none is closed, and no other is opened.
    public static let keepsConnection = Expectation(expectation: .keepsConnection)

    /// Returns the expectation that the client logs in again within `limit` of real time after each end that is not terminal.
    public static func comesBack(within limit: Duration = .seconds(10), newToken: Bool = false) -> Expectation {
      Expectation(expectation: .comesBack(within: limit, newToken: newToken))
    }

    /// No logout and no security event that a fault has copied or forged reaches a session of the client.
    public static let outlivesBadSignals = Expectation(expectation: .outlivesBadSignals)
  }

  /// A kind of attempt that a client may make too often.
  public struct Attempt: Hashable, Sendable {
    let attempt: ClientStory.Attempt

    /// Connecting, whether it is accepted or refused.
    public static let connection = Attempt(attempt: .connection)
    /// Requesting a token from the built-in provider.
    public static let provider = Attempt(attempt: .provider)
    /// Refreshing on a connection that is logged in.
    public static let refresh = Attempt(attempt: .refresh)
    /// Sending a request of its own to the gateway.
    public static let command = Attempt(attempt: .command)
  }

  /// An error for an expectation that failed or cannot be decided.
  public struct NotExpected: Error, CustomStringConvertible {
    /// `failed`, `undecided` or `not_applicable`.
    public let verdict: String
    /// The reason, in one sentence.
    public let sentence: String
    /// The lines that prove it.
    public let lines: [Line]
    /// The expectation, the verdict, the reason and the lines.
    public let description: String
  }

  /// Checks the expectation for the user's client, by the lines after number `after`. Without a user, the journal's only user
  /// is meant.
  ///
  /// An undecided expectation is checked again until `within` of real time has passed, longer on a slow machine, independent
  /// of the sessions' clock. A failed one throws at once.
  ///
  /// Returns the lines that prove it. Throws ``NotExpected`` if the expectation fails, or is still undecided at the end, e.g.
  /// if there was no refresh.
  @discardableResult
  public func expect(
    _ expectation: Expectation, user: String? = nil, after: Int = 0, within: Duration = .seconds(2)
  ) async throws -> [Line] {
    let limit = min(max(within, .zero), Self.longest)
    let begun = await transport { $0.now }
    var judged = await judge(expectation.expectation, user, after)
    let lost = judged?.lost ?? .zero
    while judged?.verdict.outcome == .undecided, !Task.isCancelled {
      // Adds the time that a slow machine took in between.
      let end = begun + limit + min((judged?.lost ?? lost) - lost, limit * Self.slowest)
      let isOver = await transport { [gateway] loop in
        guard loop.now < end, !loop.hasEnded, gateway.journal?.hasEnded == false else { return true }
        await loop.sleep(until: min(end, loop.now + Self.pause))
        return false
      }
      guard !isOver else { break }
      judged = await judge(expectation.expectation, user, after)
    }
    guard let (verdict, lines, _) = judged else { return [] }
    guard verdict.outcome == .passed else {
      throw NotExpected(
        verdict: verdict.outcome.rawValue, sentence: verdict.sentence, lines: lines,
        description: "\(expectation) \(verdict.outcome.rawValue): \(verdict.sentence)"
          + lines.map { "\n\($0)" }.joined())
    }
    return lines
  }

  /// A day.
  private static let longest = Duration.seconds(86_400)
  private static let pause = Duration.milliseconds(50)
  /// The maximum extension on a slow machine, as a multiple of the requested time.
  private static let slowest = 9

  private func judge(
    _ expectation: GatewayControl.Expectation, _ user: String?, _ after: Int
  ) async -> (verdict: JournalVerdict, lines: [Line], lost: Duration)? {
    await gateway.readJournal { journal in
      let story = ClientStory(journal, after: UInt64(max(0, after)), of: user.map(UserID.init))
      let verdict = expectation.verdict(on: story)
      return (verdict: verdict, lines: story.proof(of: verdict).map(Line.init), lost: story.lost)
    }
  }

  /// Runs `body` on the loop that keeps the network's time, and returns its result.
  private func transport<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async -> Answer
  ) async -> Answer {
    let loop = gateway.tables[0].loop.transport
    return await LoopStage(loop: loop).perform { await body(loop) }
  }
}
