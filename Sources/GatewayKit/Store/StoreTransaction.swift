package import GatewayCore

/// A set of reads, and of the writes that follow from them, for one commit: it is refused if a row that was read has
/// changed since; if somebody took ann's name in the meantime, for instance.
///
/// It reads what the store has, not what it is going to write itself. What a scan found is not checked: read a row that
/// everybody writes who changes the range.
package struct StoreTransaction<Failure: StoreFailure>: Sendable {
  private let store: any Store
  private let now: WallTime
  private(set) var commit = StoreCommit()
  /// Where each row stands among the writes.
  private var places: [StorePath: Int] = [:]

  init(_ store: any Store, at now: WallTime) {
    self.store = store
    self.now = now
  }

  /// The rows that it has read and is going to change, in order.
  var contested: [StorePath] {
    let read = Set(commit.checks.map(\.path))
    return commit.writes.map(\.path).filter(read.contains).sorted()
  }

  /// The rows under these keys, all as they were at one moment.
  package mutating func read(_ keys: [StoreKey]) async throws(Failure) -> [StoreEntry?] {
    let entries: [StoreEntry?]
    do throws(StoreError) { entries = try await store.read(keys, at: now) } catch { throw Failure(error) }
    for (key, entry) in zip(keys, entries) {
      commit.checks.append(StoreCommit.Check(key.path, entry?.version ?? .absent))
    }
    return entries
  }

  /// The value of one row, nil if it is not there.
  package mutating func get<Value: StoreValue>(
    _ key: StoreKey, as type: Value.Type
  ) async throws(Failure) -> Value? {
    try value(try await read([key])[0], as: type)
  }

  /// What a row that was read holds.
  package func value<Value: StoreValue>(_ entry: StoreEntry?, as type: Value.Type) throws(Failure) -> Value? {
    guard let entry else { return nil }
    do throws(StoreError) { return try entry.value(as: type) } catch { throw Failure(error) }
  }

  /// Writes a row, until it expires, and says in which counts it is.
  package mutating func put(
    _ key: StoreKey, _ value: some StoreValue, expires: WallTime? = nil, in counts: [StoreCount] = []
  ) {
    write(StoreCommit.Write(key, value, expires: expires, in: counts))
  }

  /// Deletes a row, if it is there.
  package mutating func delete(_ key: StoreKey) {
    write(StoreCommit.Write(key, nil))
  }

  private mutating func write(_ write: StoreCommit.Write) {
    if let place = places[write.path] {
      commit.writes[place] = write
    } else {
      places[write.path] = commit.writes.count
      commit.writes.append(write)
    }
  }
}
