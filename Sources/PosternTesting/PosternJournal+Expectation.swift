internal import GatewayControl
internal import GatewayCore
internal import GatewayRuntime

extension PosternJournal {
  /// A rule that a client is held to, e.g. that it has one provider call under way at a time.
  public struct Expectation: Sendable, CustomStringConvertible {
    let expectation: GatewayControl.Expectation

    /// The word that it goes by in the control API, e.g. `single_flight`.
    public var description: String { expectation.name }

    /// Never two provider calls of a user under way at once, and never two tokens presented for one request.
    public static let singleFlight = Expectation(expectation: .singleFlight)

    /// Exactly one token is made for each refresh: none before the request, none after the answer, and not two between.
    /// Counts the calls of the built-in provider, `POST /v1/tokens` at ``PosternGateway/httpURL``.
    public static let oneProviderCallPerExpiry = oneProviderCallPerExpiry(quiet: .zero)

    /// The same of a client that is watched for `quiet` of real time behind its last refresh: one whose two calls are on their
    /// way at once may be refreshed between them. Undecided before that.
    public static func oneProviderCallPerExpiry(quiet: Duration) -> Expectation {
      Expectation(expectation: .oneProviderCallPerExpiry(quiet: quiet))
    }

    /// After an end that nobody may come back from, the client does not connect again; it is watched for `quiet`.
    public static func noAttemptAfterTerminal(quiet: Duration = .seconds(1)) -> Expectation {
      Expectation(expectation: .noAttemptAfterTerminal(quiet: quiet))
    }

    /// At most so many attempts, and then none for `quiet`.
    public static func stopsAfter(
      _ most: Int, _ attempt: Attempt = .connection, quiet: Duration = .seconds(1)
    ) -> Expectation {
      Expectation(expectation: .stopsAfter(most, attempt.attempt, quiet: quiet))
    }

    /// After each line of the kind the client lets so much real time pass before it tries again.
    public static func waitsAtLeast(_ least: Duration, after kind: Kind = .closed) -> Expectation {
      Expectation(expectation: .waitsAtLeast(least, after: kind.kind))
    }

    /// The client's waits after lines of the kind differ by chance. Five waits of the same rung of its back-off are
    /// compared; fewer decide nothing.
    public static func backoffHasJitter(after kind: Kind = .closed) -> Expectation {
      Expectation(expectation: .backoffHasJitter(after: kind.kind))
    }

    /// Each request for a token is answered on its own connection with one that is taken, within so much of the time of
    /// sessions.
    public static func refreshedInTime(within limit: Duration? = nil) -> Expectation {
      Expectation(expectation: .refreshedInTime(within: limit))
    }

    /// Refreshes happen on the very same connection: none is closed, and no other is opened.
    public static let keepsConnection = Expectation(expectation: .keepsConnection)

    /// After each end that it may come back from the client is let in again, within so much real time.
    public static func comesBack(within limit: Duration = .seconds(10), newToken: Bool = false) -> Expectation {
      Expectation(expectation: .comesBack(within: limit, newToken: newToken))
    }
  }

  /// An attempt that a client may make too often, e.g. to connect.
  public struct Attempt: Hashable, Sendable {
    let attempt: ClientStory.Attempt

    /// To connect, whether it is let in or refused.
    public static let connection = Attempt(attempt: .connection)
    /// To get a token of the built-in provider.
    public static let provider = Attempt(attempt: .provider)
    /// To refresh, on a connection that is logged in.
    public static let refresh = Attempt(attempt: .refresh)
    /// To have something of the gateway: a request of the client's own.
    public static let command = Attempt(attempt: .command)
  }

  /// An error that names the rule that the journal does not prove: it is broken, or cannot be decided.
  public struct NotExpected: Error, CustomStringConvertible {
    /// `failed`, `undecided` or `not_applicable`.
    public let verdict: String
    /// Why, in one sentence.
    public let sentence: String
    /// The lines that prove it.
    public let lines: [Line]
    /// All of it.
    public let description: String
  }

  /// Holds the user's client to the expectation, by the lines behind number `after`. Without a user it is the only one in
  /// the journal. An undecided expectation is judged again until `within` of real time has passed, longer on a slow machine,
  /// whatever the time of sessions does; a failure is thrown at once.
  ///
  /// Returns the lines that prove that it is met; throws ``NotExpected`` if it is not, or if the lines decide nothing by
  /// then, as those of no refresh do.
  @discardableResult
  public func expect(
    _ expectation: Expectation, user: String? = nil, after: Int = 0, within: Duration = .seconds(2)
  ) async throws -> [Line] {
    let limit = min(max(within, .zero), Self.longest)
    let begun = await transport { $0.now }
    var judged = await judge(expectation.expectation, user, after)
    let lost = judged?.lost ?? .zero
    while judged?.verdict.outcome == .undecided, !Task.isCancelled {
      // The time that a slow machine takes meanwhile is added.
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
  /// How many times as long as asked for a slow machine may make it wait besides.
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

  /// What `body` comes to on the loop whose time the network keeps.
  private func transport<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async -> Answer
  ) async -> Answer {
    let loop = gateway.tables[0].loop.transport
    return await LoopStage(loop: loop).perform { await body(loop) }
  }
}
