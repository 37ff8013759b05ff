package import GatewayCore

// Asking a gateway's journal, from anywhere.

extension Gateway {
  /// The journal; nil if none is kept. Only on the loop.
  package var journal: Journal? { tables[0].journal }

  /// Some of the journal; nil if none is kept.
  package func journal(_ query: Journal.Query) async -> JournalPage? {
    await tables[0].perform { $0.journal?.page(query) }
  }

  /// Calls `read` with the journal, on its loop; nil if there is no journal.
  package func readJournal<Answer: Sendable>(_ read: @escaping @Sendable (Journal) -> Answer) async -> Answer? {
    await tables[0].perform { $0.journal.map(read) }
  }

  /// How many lines of each kind the journal has of the user; nil if none is kept.
  package func journalCounts(of user: UserID) async -> [JournalKind: Int]? {
    await tables[0].perform { $0.journal?.counts(of: user) }
  }

  /// Ends every wait for the journal: nothing more is going to happen.
  package func endJournal() async {
    for table in tables { await table.perform { $0.journal?.end() } }
  }
}
