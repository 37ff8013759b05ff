package import GatewayCore

// Asking a gateway's journal, from anywhere.

extension Gateway {
  /// The journal; nil if none is kept. Only on the loop.
  package var journal: Journal? { tables[0].journal }

  /// Some of the journal; nil if none is kept.
  package func journal(_ query: Journal.Query) async -> JournalPage? {
    await tables[0].perform { $0.journal?.page(query) }
  }

  /// What `read` makes of the journal, on its loop; nil if none is kept.
  package func readJournal<Answer: Sendable>(_ read: @escaping @Sendable (Journal) -> Answer) async -> Answer? {
    await tables[0].perform { $0.journal.map(read) }
  }

  /// How many lines of each kind the journal has of the user; nil if none is kept.
  package func journalCounts(of user: UserID) async -> [JournalKind: Int]? {
    await tables[0].perform { $0.journal?.counts(of: user) }
  }

  /// Waits until the journal has `count` lines that are meant, `limit` of the network's time at most. Throws
  /// `GatewayError.notFound` if none is kept, `GatewayError.tooMany` if too many wait.
  package func wait(
    for query: Journal.Query, count: Int, within limit: Duration
  ) async throws(GatewayError) -> Journal.Outcome {
    let outcome: Result<Journal.Outcome, GatewayError> = await withCheckedContinuation { continuation in
      let loop = tables[0].loop
      loop.execute { [self] in
        do throws(GatewayError) {
          guard let journal else { throw .notFound.detailed("the gateway keeps no journal") }
          _ = try journal.wait(for: query, count: count, within: limit) { continuation.resume(returning: .success($0)) }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }

  /// Ends every wait for the journal: nothing more is going to happen.
  package func endJournal() async {
    for table in tables { await table.perform { $0.journal?.end() } }
  }
}
