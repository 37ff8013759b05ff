package import GatewayCore
package import GatewayRuntime

/// The part of a journal about one client: its own lines, and attempts that only it can have made.
///
/// The user of a connection is not known before the login. If the journal names one user only, unnamed attempts are
/// that user's. If it names several, such attempts are unnamed, and a verdict that depends on them is undecided.
package struct ClientStory: Sendable {
  private let span: JournalSpan
  /// The times by which a slow machine was late, measured by the gateway or given by the caller.
  let late: LateTimes
  private let user: UserID?
  private let dialect: UInt8?

  /// Creates the story of `user` from the journal's present lines after number `after`. A nil `user` means the only
  /// user that the journal names.
  ///
  /// A client with connections of several wire formats counts as several; `dialect` is the number of one. Everything
  /// here is used only on the journal's loop.
  package init(
    _ journal: Journal, after: UInt64 = 0, of user: UserID?, in dialect: UInt8? = nil, late: LateTimes? = nil
  ) {
    span = journal.span(after: after)
    self.late = late ?? journal.late
    (self.user, self.dialect) = (user, dialect)
  }

  /// The time that a slow machine may have lost since the journal began.
  package var lost: Duration { late.lost(from: .zero, to: span.age) }

  /// The number of requested lines that are no longer kept.
  var missed: UInt64 { span.missed }

  /// Returns the lines that prove the verdict, in their order.
  package func proof(of verdict: JournalVerdict) -> [JournalLine] { span.lines(verdict.lines) }

  /// Returns a reader of the story from its beginning. It reads lines of the kind `since`, and lines about the client's
  /// actions and their results, as expectations need them.
  func telling(since: JournalKind?) -> Telling {
    Telling(
      JournalSpan.Share(span, of: user, in: dialect, unnamed: Attempt.connections) {
        Self.tells($0) || $0.kind == since
      },
      isNamed: user != nil, at: span.age, in: span.sessionAge, late: late)
  }

  /// Returns whether any expectation needs such lines.
  private static func tells(_ event: JournalEvent) -> Bool {
    switch event {
    case .messageIn(.credentials, _, _), .messageIn(.command, _, _): true
    case .messageIn, .messageOut, .httpAnswered: false
    default: true
    }
  }

  /// A story that is read piece by piece, so that other work can run in between.
  struct Telling {
    private var share: JournalSpan.Share
    private let isNamed: Bool
    /// The time of the network at which the story ends.
    private let now: Duration
    private let sessionNow: Duration
    private let late: LateTimes

    init(
      _ share: JournalSpan.Share, isNamed: Bool, at now: Duration, in sessionNow: Duration, late: LateTimes
    ) {
      (self.share, self.isNamed, self.now) = (share, isNamed, now)
      (self.sessionNow, self.late) = (sessionNow, late)
    }

    /// Reads on by `count` records. Returns false at the end of the story, or when `tell` returns false.
    mutating func go(_ count: Int, _ tell: (JournalLine) -> Bool) -> Bool { share.go(count, tell) }

    /// The number of users that the journal names; 1 if a user was chosen.
    var candidates: Int { isNamed ? 1 : share.named }

    var end: End { End(now: now, sessionNow: sessionNow, unnamed: share.unnamed, late: late) }
  }

  /// The end of a story: its time, and the attempts of unknown users.
  struct End {
    /// The time of the network.
    let now: Duration
    /// The time of sessions.
    let sessionNow: Duration
    /// The numbers of attempts to connect that may be the client's or another's.
    let unnamed: [UInt64]
    let late: LateTimes

    /// Returns the time that a slow machine may have cost the client since the line.
    func late(since line: JournalLine) -> Duration { late.lost(from: line.real, to: now) }

    /// Returns the time that it may have cost between two lines.
    func late(from one: JournalLine, to other: JournalLine) -> Duration {
      late.lost(from: one.real, to: other.real)
    }

    /// Returns the age of the line.
    func age(of line: JournalLine) -> Duration { max(.zero, now - line.real) }

    /// Returns an undecided verdict if less than `quiet` has passed since `line`, or if later attempts to connect may
    /// be the client's. Returns nil if the absence of attempts counts.
    func doubt(
      quiet: Duration, since line: JournalLine, _ attempt: Attempt, unnamedAfter number: UInt64 = 0
    ) -> JournalVerdict? {
      let others = attempt == .connection ? unnamed.filter { $0 > number } : []
      if !others.isEmpty {
        return .undecided(
          "\(attempt.text(others.count)) came from somebody whom the journal cannot name; give the client a space of its own",
          others)
      }
      let age = age(of: line)
      guard age >= quiet else {
        return .undecided(
          "line \(line.number) is \(ClientStory.text(age)) old; \(ClientStory.text(quiet)) have to pass without an attempt",
          [line.number])
      }
      // The client was not observed while it had no processor time.
      let lost = late(since: line)
      guard age - lost >= quiet else {
        return .undecided(
          "the machine was slow: of the \(ClientStory.text(age)) since line \(line.number) the client may have had \(ClientStory.text(max(.zero, age - lost))), where \(ClientStory.text(quiet)) have to pass without an attempt",
          [line.number])
      }
      return nil
    }
  }

  /// Returns a duration for people, in milliseconds or seconds.
  static func text(_ duration: Duration) -> String {
    let milliseconds = duration.nanoseconds / 1_000_000
    if milliseconds < 10_000 { return "\(milliseconds) ms" }
    return "\(milliseconds / 1_000) s"
  }
}
