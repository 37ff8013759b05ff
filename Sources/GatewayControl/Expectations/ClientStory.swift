package import GatewayCore
package import GatewayRuntime

/// The part of a journal that tells of one client: martin's lines, for instance, and those of attempts that nobody else
/// can have made.
///
/// Who connects is not known before they are let in. Where the journal names one user only, what names nobody is theirs.
/// Where it names several, such attempts are unnamed, and no verdict that they could turn is more than undecided.
package struct ClientStory: Sendable {
  private let span: JournalSpan
  /// What a slow machine has cost: as the gateway has measured it, unless it is said.
  let late: LateTimes
  private let user: UserID?
  private let dialect: UInt8?

  /// The story of `user` that the journal has now behind line number `after`; nil for the only one whom it names. A client that
  /// has connections of several wire formats is several, of which `dialect` is the number of one. Only on the journal's loop,
  /// as all that is asked of it.
  package init(
    _ journal: Journal, after: UInt64 = 0, of user: UserID?, in dialect: UInt8? = nil, late: LateTimes? = nil
  ) {
    span = journal.span(after: after)
    self.late = late ?? journal.late
    (self.user, self.dialect) = (user, dialect)
  }

  /// How much a slow machine may have cost since the journal began.
  package var lost: Duration { late.lost(from: .zero, to: span.age) }

  /// How many lines that were asked for are kept no more.
  var missed: UInt64 { span.missed }

  /// The lines that prove the verdict, in their order.
  package func proof(of verdict: JournalVerdict) -> [JournalLine] { span.lines(verdict.lines) }

  /// Tells it from the beginning: lines of the kind `since` and those that tell what a client does and what becomes of it, as
  /// expectations read them.
  func telling(since: JournalKind?) -> Telling {
    Telling(
      JournalSpan.Share(span, of: user, in: dialect, unnamed: Attempt.connections) {
        Self.tells($0) || $0.kind == since
      },
      isNamed: user != nil, at: span.age, in: span.sessionAge, late: late)
  }

  /// Whether any expectation asks for such lines.
  private static func tells(_ event: JournalEvent) -> Bool {
    switch event {
    case .messageIn(.credentials, _, _), .messageIn(.command, _, _): true
    case .messageIn, .messageOut, .httpAnswered: false
    default: true
    }
  }

  /// A story as far as it has been told, piece by piece: the first thousand lines, for instance, with others let in
  /// between.
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

    /// Goes on by `count` records. False when all is told, or as soon as `tell` has heard enough and says so.
    mutating func go(_ count: Int, _ tell: (JournalLine) -> Bool) -> Bool { share.go(count, tell) }

    /// How many users are named, where it is not said whose client is meant.
    var candidates: Int { isNamed ? 1 : share.named }

    var end: End { End(now: now, sessionNow: sessionNow, unnamed: share.unnamed, late: late) }
  }

  /// The end of a story, when it was and who else may have tried: one attempt to connect by nobody knows whom, for
  /// instance.
  struct End {
    /// The time of the network.
    let now: Duration
    /// The time of sessions.
    let sessionNow: Duration
    /// The numbers of attempts to connect that may be the client's or another's.
    let unnamed: [UInt64]
    let late: LateTimes

    /// How much a slow machine may have cost the client since the line.
    func late(since line: JournalLine) -> Duration { late.lost(from: line.real, to: now) }

    /// How much it may have cost between two lines.
    func late(from one: JournalLine, to other: JournalLine) -> Duration {
      late.lost(from: one.real, to: other.real)
    }

    /// How long ago the line was written.
    func age(of line: JournalLine) -> Duration { max(.zero, now - line.real) }

    /// Undecided where nobody has looked for long enough since `line`, or where attempts to connect behind it may be the
    /// client's; nil if what did not happen counts.
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
      // A client that has not had the processor has not been watched.
      let lost = late(since: line)
      guard age - lost >= quiet else {
        return .undecided(
          "the machine was slow: of the \(ClientStory.text(age)) since line \(line.number) the client may have had \(ClientStory.text(max(.zero, age - lost))), where \(ClientStory.text(quiet)) have to pass without an attempt",
          [line.number])
      }
      return nil
    }
  }

  /// Milliseconds as people read them.
  static func text(_ duration: Duration) -> String {
    let milliseconds = duration.nanoseconds / 1_000_000
    if milliseconds < 10_000 { return "\(milliseconds) ms" }
    return "\(milliseconds / 1_000) s"
  }
}
