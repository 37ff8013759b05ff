package import GatewayCore

/// A transactional store of rows under keys, on which every vendor's directory is written, once for all engines.
///
/// Every engine guarantees:
///
/// - An answer reflects every commit whose answer its caller had already seen.
/// - A row that has expired at `now` is treated as if it had never existed.
/// - A count is the number of rows in it.
/// - A commit that returns false, or throws anything but ``StoreError/unknown(_:)``, has changed nothing.
/// - A commit that was done is not repeated within a minute, however often it is asked for, and returns true.
/// - Accepted data is not lost while the engine exists.
package protocol Store: Sendable {
  /// Returns the rows under these keys, all at one moment.
  func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?]

  /// Returns the first rows of the range, at most `limit`, in the order of their keys, reversed if it is backwards.
  func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry]

  /// Applies the whole commit or nothing. Returns false if a checked row has changed since it was read.
  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool

  /// The queues of this process for changes of the same rows; nil if there are none and changes race each time.
  var lines: LocalTurns<StorePath>? { get }

  /// Whether its rows are there after the end of the process.
  var outlivesProcess: Bool { get }

  /// Returns the size of these counts, including rows that have expired and were not yet swept. For monitoring.
  func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int]
}

extension Store {
  package var lines: LocalTurns<StorePath>? { nil }
  package var outlivesProcess: Bool { false }

  /// Commits, and repeats the commit up to three times if its answer was lost. Nothing is done twice.
  package func settle(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    for _ in 0..<3 {
      do throws(StoreError) {
        return try await self.commit(commit, at: now)
      } catch .unknown {
        continue
      }
    }
    return try await self.commit(commit, at: now)
  }

  /// Returns the value of one row; nil if it does not exist.
  package func get<Value: StoreValue>(
    _ key: StoreKey, as type: Value.Type, at now: WallTime
  ) async throws(StoreError) -> Value? {
    guard let entry = try await read([key], at: now)[0] else { return nil }
    return try entry.value(as: type)
  }

  /// Reads, writes and commits. If another transaction was faster it starts again, so `body` may run more than once,
  /// each time on fresh rows. Nothing is committed if `body` writes nothing, or throws.
  ///
  /// A transaction that finds a row changed which it wants to change itself joins the queue for that row. So does a
  /// transaction that arrives while there is a queue. Each starts again after the one before has its answer, so nearly
  /// all of many concurrent transactions succeed at the second try. Throws ``StoreError/contended`` after 256 tries, or if the
  /// task is in a turn that another node has had since.
  package func transact<Answer, Failure: StoreFailure>(
    at now: WallTime,
    _ body: (inout StoreTransaction<Failure>) async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    let lines = lines
    // The rows whose queues this transaction is at the head of.
    var held: [StorePath] = []
    defer { lines?.give(all: held) }
    // A transaction in no queue, because others only read what it writes or vice versa, may lose any number of times.
    for _ in 0..<256 {
      var transaction = StoreTransaction<Failure>(self, at: now)
      let turn = HeldTurn.current
      if let turn { try transaction.hold(turn) }
      let answer = try await body(&transaction)
      guard !transaction.commit.writes.isEmpty else { return answer }
      if !held.isEmpty || lines?.areTaken(transaction.contested) != true {
        do throws(StoreError) {
          if try await settle(transaction.commit, at: now) { return answer }
          if let turn, try await !proves(turn, at: now) { throw .contended }
        } catch {
          throw Failure(error)
        }
      }
      let contested = transaction.contested
      guard let lines, contested != held else { continue }
      lines.give(all: held)
      held = contested
      await lines.take(all: held)
    }
    throw Failure(.contended)
  }

  /// Returns false, and notes it, if another node has had the turn.
  private func proves(_ turn: HeldTurn, at now: WallTime) async throws(StoreError) -> Bool {
    guard try await read([turn.key], at: now)[0]?.version != turn.number else { return true }
    turn.lose()
    return !turn.isLost
  }
}
