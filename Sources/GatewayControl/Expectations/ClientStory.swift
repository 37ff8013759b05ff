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

  /// The story that the lines of `page` tell of `user`; nil for the only one whom they name. `now` is the journal's age.
  package init(_ page: JournalPage, of user: UserID?, now: Duration) {
    let named = Set(page.lines.compactMap(\.user))
    let owner = user ?? (named.count == 1 ? named.first : nil)
    let isAlone = named.subtracting(owner.map { [$0] } ?? []).isEmpty
    var owners: [ConnectionID: UserID] = [:]
    for line in page.lines {
      if let connection = line.connection, let user = line.user { owners[connection] = user }
    }
    var (own, unnamed): ([JournalLine], [JournalLine]) = ([], [])
    for line in page.lines {
      if let whose = line.user ?? line.connection.flatMap({ owners[$0] }) {
        if whose == owner { own.append(line) }
      } else if isAlone {
        own.append(line)
      } else if Attempt.connection.isMade(by: line) {
        unnamed.append(line)
      }
    }
    (lines, self.unnamed, self.now) = (own, unnamed, now)
    missed = page.missed
    candidates = user == nil ? named.count : 1
  }

  /// The story of `user` that the journal has behind line number `after`. Only on the journal's loop.
  package init(_ journal: Journal, after: UInt64 = 0, of user: UserID?) {
    self.init(journal.page(Journal.Query(after: after, limit: .max)), of: user, now: journal.age)
  }

  /// The lines that prove the verdict, in their order.
  package func proof(of verdict: JournalVerdict) -> [JournalLine] {
    (lines + unnamed).filter { verdict.lines.contains($0.number) }.sorted { $0.number < $1.number }
  }

  /// Something that a client tries, and may try too often: to connect, for instance.
  package enum Attempt: String, Hashable, Sendable, CaseIterable {
    case connection, provider, refresh

    /// Whether the line tells of one.
    func isMade(by line: JournalLine) -> Bool {
      switch (self, line.event) {
      case (.connection, .connectionOpened), (.connection, .upgradeRefused), (.provider, .providerAsked): true
      // Of credentials that are to let somebody in, the journal does not know yet whose they are.
      case (.refresh, .messageIn(.credentials, _, _)): line.user != nil
      default: false
      }
    }

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
      }
    }
  }

  func attempts(_ attempt: Attempt) -> [JournalLine] { lines.filter(attempt.isMade) }

  /// How long ago the line was written.
  func age(of line: JournalLine) -> Duration { max(.zero, now - line.real) }
}
