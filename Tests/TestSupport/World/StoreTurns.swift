package import GatewayCore
package import GatewayKit
internal import Synchronization

/// The turns of nodes that share a store, kept in the store's rows: who has a turn, and who waits for it. Whatever keeps the
/// store away keeps turns away.
///
/// No clock of one node is compared with that of another: a node counts the time in which it sees a row unchanged.
package final class StoreTurns: Turns {
  /// Time, and where tasks run.
  package struct Pace: Sendable {
    package let now: @Sendable () -> WallTime
    package let sleep: @Sendable (Duration) async -> Void
    package let start: @Sendable (@escaping @Sendable () async -> Void) -> Void

    package init(
      now: @escaping @Sendable () -> WallTime, sleep: @escaping @Sendable (Duration) async -> Void,
      start: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
    ) {
      (self.now, self.sleep, self.start) = (now, sleep, start)
    }
  }

  private struct Row: StoreValue, Equatable {
    var holder: String?
    var queue: [String] = []
    /// Rises with every change and renewal.
    var beats = 0
  }

  private typealias Transaction = StoreTransaction<StoreError>

  private static let glance = Duration.milliseconds(5)

  private let store: any Store
  private let node: String
  private let lease: Duration
  private let pace: Pace
  private let tickets = Atomic(0)
  private let hasStopped = Atomic(false)
  /// The tickets of the turns that the node has.
  private let held = Mutex<[StorePath: String]>([:])

  package init(_ store: any Store, as node: String, lease: Duration = .seconds(5), _ pace: Pace) {
    (self.store, self.node, self.lease, self.pace) = (store, node, lease, pace)
  }

  /// Renews nothing and takes nothing from here on, as a process that is gone.
  package func stop() { hasStopped.store(true, ordering: .relaxed) }

  package func take(_ path: StorePath) async throws(StoreError) -> HeldTurn {
    let outcome = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<HeldTurn, StoreError>, Never>) in
      pace.start { [self] in continuation.resume(returning: await answer(to: path)) }
    }
    return try outcome.get()
  }

  private func answer(to path: StorePath) async -> Result<HeldTurn, StoreError> {
    let ticket = "\(node).\(tickets.add(1, ordering: .relaxed).newValue)"
    do throws(StoreError) {
      return .success(try await hold(path, ticket))
    } catch {
      // The request may be there, since its answer may have been lost.
      pace.start { [self] in await withdraw(ticket, of: path) }
      return .failure(error)
    }
  }

  private func hold(_ path: StorePath, _ ticket: String) async throws(StoreError) -> HeldTurn {
    let fence = StoreKey(path: path, type: TurnRow.self)
    var (seen, unchanged) = (Row?.none, Duration.zero)
    while !hasStopped.load(ordering: .relaxed) {
      let (known, waited) = (seen, unchanged)
      let lease = lease
      let row = try await change(path) { row, transaction in
        if row.holder != ticket, !row.queue.contains(ticket) { row.queue.append(ticket) }
        if row.holder == nil, row.queue.first == ticket {
          row.queue.removeFirst()
          row.holder = ticket
          transaction.put(fence, TurnRow())
        } else if waited >= lease, row == known {
          if row.holder == nil { row.queue.removeFirst() } else { row.holder = nil }
          row.beats += 1
        }
      }
      if row.holder == ticket {
        let found = try await store.read([key(path), fence], at: pace.now())
        if try found[0]?.value(as: Row.self).holder == ticket, let version = found[1]?.version {
          let turn = HeldTurn(path, version)
          held.withLock { $0[path] = ticket }
          pace.start { [self] in await renew(turn, ticket) }
          return turn
        }
      }
      (seen, unchanged) = row == seen ? (row, unchanged + Self.glance) : (row, .zero)
      await pace.sleep(Self.glance)
    }
    throw .unavailable("the node is gone")
  }

  package func give(_ turn: HeldTurn) {
    guard let ticket = held.withLock({ $0.removeValue(forKey: turn.path) }) else { return }
    pace.start { [self] in await withdraw(ticket, of: turn.path) }
  }

  /// Ends the turn of the ticket, or its request for one. If the store stays away, the lease ends.
  private func withdraw(_ ticket: String, of path: StorePath) async {
    for _ in 0..<20 where !hasStopped.load(ordering: .relaxed) {
      do throws(StoreError) {
        _ = try await change(path) { row, transaction in
          row.queue.removeAll { $0 == ticket }
          guard row.holder == ticket else { return }
          row.holder = nil
          transaction.delete(StoreKey(path: path, type: TurnRow.self))
        }
        return
      } catch {
        await pace.sleep(lease / 20)
      }
    }
  }

  private func renew(_ turn: HeldTurn, _ ticket: String) async {
    while true {
      await pace.sleep(lease * 2 / 5)
      guard !hasStopped.load(ordering: .relaxed), held.withLock({ $0[turn.path] == ticket }) else { return }
      let row = try? await change(turn.path) { row, _ in if row.holder == ticket { row.beats += 1 } }
      if let row, row.holder != ticket { return turn.lose() }
    }
  }

  private func key(_ path: StorePath) -> StoreKey {
    StoreKey(path: StorePath("test.turn", [String(decoding: path.bytes, as: UTF8.self)]), type: Row.self)
  }

  /// Changes the row of a turn, which is absent while nobody has or wants it.
  private func change(
    _ path: StorePath, _ change: @Sendable (inout Row, inout Transaction) -> Void
  ) async throws(StoreError) -> Row {
    let key = key(path)
    return try await store.transact(at: pace.now()) {
      (transaction: inout Transaction) async throws(StoreError) -> Row in
      let known = try await transaction.get(key, as: Row.self)
      var row = known ?? Row()
      change(&row, &transaction)
      if row.holder == nil, row.queue.isEmpty {
        if known != nil { transaction.delete(key) }
      } else if row != known {
        transaction.put(key, row)
      }
      return row
    }
  }
}
