package import GatewayCore

/// A memory for rows under keys, changed many at once or not at all: a user's opaque tokens, for instance. Every
/// vendor's directory is written on it, once for all engines.
///
/// Obligations of every engine: an answer reflects every commit whose answer its caller had already seen; a row that has
/// expired at `now` is as if it had never been; a count is how many rows are in it; a commit that answers false, or throws
/// anything but ``StoreError/unknown(_:)``, has changed nothing; one that was done is not done again within a minute, however
/// often it is asked for, but answered true; what was accepted is not lost while the engine is there.
package protocol Store: Sendable {
  /// The rows under these keys, all as they were at one moment.
  func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?]

  /// The first rows of the range, at most `limit`, in the order of their keys, or against it if it is backwards.
  func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry]

  /// All of it, or nothing: false if a row is no longer as it was read.
  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool

  /// Where those of this process stand in line who want to change the same rows; nil if they do not, and race each time.
  var lines: Turns<StorePath>? { get }

  /// How much is in these counts, rows that have expired and were not yet swept away among it: for whoever watches over it.
  func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int]
}

extension Store {
  package var lines: Turns<StorePath>? { nil }

  /// Commits, and asks again where the answer was lost: nothing is done twice.
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

  /// The value of one row, nil if it is not there.
  package func get<Value: StoreValue>(
    _ key: StoreKey, as type: Value.Type, at now: WallTime
  ) async throws(StoreError) -> Value? {
    guard let entry = try await read([key], at: now)[0] else { return nil }
    return try entry.value(as: type)
  }

  /// Reads, writes and commits, and begins anew where somebody else was faster; `body` may so be run more than once, each
  /// time on fresh rows. Nothing is committed where it writes nothing, or throws.
  ///
  /// Whoever finds a row changed that it wants to change itself gets in line for it, and so does who comes while there is
  /// one; each begins anew when the one before has its answer. So of many at once nearly all are through at the second try.
  package func transact<Answer, Failure: StoreFailure>(
    at now: WallTime,
    _ body: (inout StoreTransaction<Failure>) async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    let lines = lines
    // The rows in whose lines this one is at the head.
    var held: [StorePath] = []
    defer { lines?.give(all: held) }
    // Who stands in no line, because others only read what it writes or the other way round, may lose any number of times.
    for _ in 0..<256 {
      var transaction = StoreTransaction<Failure>(self, at: now)
      let answer = try await body(&transaction)
      guard !transaction.commit.writes.isEmpty else { return answer }
      if !held.isEmpty || lines?.areTaken(transaction.contested) != true {
        do throws(StoreError) {
          if try await settle(transaction.commit, at: now) { return answer }
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
}
