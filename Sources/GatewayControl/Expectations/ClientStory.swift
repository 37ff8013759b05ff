package import GatewayCore
package import GatewayRuntime

/// What a journal tells of one client: martin's lines, and those of attempts that nobody else can have made.
///
/// Who connects is not known before they are let in. Where the journal names one user only, what names nobody is theirs.
/// Where it names several, such attempts are unnamed, and no verdict that they could turn is more than undecided.
package struct ClientStory: Sendable {
  /// The client's lines, the oldest first.
  let lines: [JournalLine]
  /// Attempts to connect that may be the client's or another's.
  let unnamed: [JournalLine]
  /// How many lines that were asked for are kept no more.
  let missed: UInt64
  /// How many users are named, where it is not said whose client is meant.
  let candidates: Int
  /// The time of the network at which the story was told.
  let now: Duration

  /// The story of `user` that the journal has behind line number `after`; nil for the only one whom it names. Only on the
  /// journal's loop.
  package init(_ journal: Journal, after: UInt64 = 0, of user: UserID?) {
    let span = journal.span(after: after)
    var share = Self.share(of: span, user) { _ in true }
    while share.go(.max / 4) {}
    self.init(share, of: user, in: span)
  }

  /// The same as it stands now, made in pieces between which `loop` serves others: of lines of the kind `since` and of those
  /// that tell what a client does and what becomes of it, as expectations read them. Only from a task on the journal's loop.
  package nonisolated(nonsending) init(
    _ journal: Journal, after: UInt64, of user: UserID?, since: JournalKind?, on loop: EventLoop
  ) async {
    let span = journal.span(after: after)
    var share = Self.share(of: span, user) { Self.tells($0) || $0.kind == since }
    while share.go(Self.piece) { await loop.pause() }
    self.init(share, of: user, in: span)
  }

  /// How many records are gone through at once, in less than a millisecond.
  private static let piece = 8_192

  private init(_ share: JournalSpan.Share, of user: UserID?, in span: JournalSpan) {
    (lines, unnamed, missed, now) = (share.own, share.unnamed, span.missed, span.age)
    candidates = user == nil ? share.named : 1
  }

  private static func share(
    of span: JournalSpan, _ user: UserID?, where isMeant: @escaping (JournalEvent) -> Bool
  ) -> JournalSpan.Share {
    JournalSpan.Share(span, of: user, unnamed: Attempt.connections, where: isMeant)
  }

  /// Whether any expectation asks for such lines.
  private static func tells(_ event: JournalEvent) -> Bool {
    switch event {
    case .messageIn(.credentials, _, _), .messageIn(.command, _, _): true
    case .messageIn, .messageOut, .httpAnswered: false
    default: true
    }
  }

  /// How many lines it has of the client's own.
  package var lineCount: Int { lines.count }

  /// The lines that prove the verdict, in their order.
  package func proof(of verdict: JournalVerdict) -> [JournalLine] {
    let wanted = Set(verdict.lines)
    return [lines, unnamed].flatMap { $0.filter { wanted.contains($0.number) } }.sorted { $0.number < $1.number }
  }

  /// Something that a client tries, and may try too often: to connect, for instance.
  package enum Attempt: String, Hashable, Sendable, CaseIterable {
    case connection, provider, refresh, command

    /// Whether the line tells of one.
    func isMade(by line: JournalLine) -> Bool {
      switch (self, line.event) {
      case (.connection, .connectionOpened), (.connection, .upgradeRefused), (.provider, .providerAsked),
        (.command, .messageIn(.command, _, _)):
        true
      // Of credentials that are to let somebody in, the journal does not know yet whose they are.
      case (.refresh, .messageIn(.credentials, _, _)): line.user != nil
      default: false
      }
    }

    /// The kinds of line that tell of one to connect.
    static let connections: Set<JournalKind> = [.connectionOpened, .upgradeRefused]

    /// What follows the kind, where nobody says what is meant.
    static func after(_ kind: JournalKind) -> Attempt {
      switch kind {
      case .providerAsked, .providerMinted, .providerFailed, .providerRefused: .provider
      case .refreshRequested, .refreshRefused: .refresh
      default: .connection
      }
    }

    /// Whether the line tells that it has succeeded.
    func hasSucceeded(by line: JournalLine) -> Bool {
      switch (self, line.event.kind) {
      case (.connection, .loggedIn), (.provider, .providerMinted), (.refresh, .refreshed): true
      default: false
      }
    }

    func text(_ count: Int) -> String {
      switch self {
      case .connection: count == 1 ? "1 attempt to connect" : "\(count) attempts to connect"
      case .provider: count == 1 ? "1 provider call" : "\(count) provider calls"
      case .refresh: count == 1 ? "1 refresh" : "\(count) refreshes"
      case .command: count == 1 ? "1 request of its own" : "\(count) requests of its own"
      }
    }
  }

  func attempts(_ attempt: Attempt) -> [JournalLine] { lines.filter(attempt.isMade) }

  /// How long ago the line was written.
  func age(of line: JournalLine) -> Duration { max(.zero, now - line.real) }
}
