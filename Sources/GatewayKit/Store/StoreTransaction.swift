package import GatewayCore

/// A set of reads, and of the writes that follow from them, for one commit. The commit is refused if a row that was
/// read has changed since.
///
/// It reads the store's rows, not its own pending writes. Rows found by a scan are not checked: read a row that every
/// change of the range writes.
package struct StoreTransaction<Failure: StoreFailure>: Sendable {
  private let store: any Store
  private let now: WallTime
  private(set) var commit = StoreCommit()
  /// The index of each row among the writes.
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

  /// Has the commit be refused if another node has had the turn by then.
  ///
  /// - Throws: ``StoreError/contended`` if that is known already.
  package mutating func hold(_ turn: HeldTurn) throws(Failure) {
    guard !turn.isLost else { throw Failure(.contended) }
    commit.checks.append(StoreCommit.Check(turn.path, turn.number))
  }

  /// Returns the rows under these keys, all at one moment.
  package mutating func read(_ keys: [StoreKey]) async throws(Failure) -> [StoreEntry?] {
    let entries: [StoreEntry?]
    do throws(StoreError) { entries = try await store.read(keys, at: now) } catch { throw Failure(error) }
    for (key, entry) in zip(keys, entries) {
      commit.checks.append(StoreCommit.Check(key.path, entry?.version ?? .absent))
    }
    return entries
  }

  /// Returns the value of one row; nil if it does not exist.
  package mutating func get<Value: StoreValue>(
    _ key: StoreKey, as type: Value.Type
  ) async throws(Failure) -> Value? {
    try value(try await read([key])[0], as: type)
  }

  /// Returns the value of a row that was read.
  package func value<Value: StoreValue>(_ entry: StoreEntry?, as type: Value.Type) throws(Failure) -> Value? {
    guard let entry else { return nil }
    do throws(StoreError) { return try entry.value(as: type) } catch { throw Failure(error) }
  }

  /// Writes a row with its expiry and its counts.
  package mutating func put(
    _ key: StoreKey, _ value: some StoreValue, expires: WallTime? = nil, in counts: [StoreCount] = []
  ) {
    write(StoreCommit.Write(key, value, expires: expires, in: counts))
  }

  /// Deletes a row, if it exists.
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
