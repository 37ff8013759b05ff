/// The turns of a directory's things, e.g. of its channels: queues within this process, and behind them the turns of all
/// nodes.
///
/// One task of a node waits for a thing among the nodes, and the others wait behind it in the process. A gateway without other
/// nodes has the queues of the process alone.
package struct NodeTurns<Key: Hashable & Sendable>: Sendable {
  private let here = LocalTurns<Key>()
  private let shared: (any Turns)?
  private let table: String
  private let name: @Sendable (Key) -> String

  /// Creates the turns of the things in a table.
  ///
  /// - Parameters:
  ///   - table: The name of the table, so that no two directories share a turn.
  ///   - shared: The turns of all nodes; nil without other nodes.
  ///   - name: Returns the name of a thing.
  package init(of table: String, among shared: (any Turns)?, name: @escaping @Sendable (Key) -> String) {
    (self.table, self.shared, self.name) = (table, shared, name)
  }

  /// Waits for the turn, which the caller must give back. Returns it as the nodes know it; nil without other nodes.
  package func take(_ key: Key) async throws(StoreError) -> HeldTurn? {
    await here.take(key)
    guard let shared else { return nil }
    do throws(StoreError) {
      return try await shared.take(StorePath(HeldTurn.table, [table, name(key)]))
    } catch {
      here.give(key)
      throw error
    }
  }

  /// Waits for the turn within this process; other nodes are not kept out.
  package func takeHere(_ key: Key) async { await here.take(key) }

  /// Gives a turn back.
  package func give(_ key: Key, _ held: HeldTurn? = nil) {
    if let held {
      held.end()
      shared?.give(held)
    }
    here.give(key)
  }

  /// Runs `body` in the turn of `key`. A commit of `body` throws ``StoreError/contended`` once another node has had the turn.
  package func inTurn<Answer, Failure: StoreFailure>(
    of key: Key, _ body: () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    let held: HeldTurn?
    do throws(StoreError) { held = try await take(key) } catch { throw Failure(error) }
    defer { give(key, held) }
    return try await HeldTurn.with(held, body)
  }
}
