internal import GatewayCore
internal import GatewayKit

/// The rows of a store that say which processes share it.
struct NodeRegister: Sendable {
  private static let nodes = StoreTable<NodeRow>("gateway.node")
  private static let fences = StoreTable<NodeFence>("gateway.life")
  private static let keys = (0..<NodeBoot.nodes).map { nodes.key(String($0)) }

  private typealias Transaction = StoreTransaction<StoreError>

  let store: any Store

  /// The outcome of an attempt to take a number.
  enum Taking: Sendable {
    /// The new boot, and the rows as they were before.
    case taken(NodeBoot, rows: [NodeRow?])
    /// A process of that name has, or had, a lease.
    case nameInUse(NodeBoot, NodeRow)
    /// Every number is in use.
    case full
  }

  /// Returns the rows by the numbers of their nodes.
  func rows(at now: WallTime) async throws(StoreError) -> [NodeRow?] {
    try await store.read(Self.keys, at: now).map { (entry) throws(StoreError) in try entry?.value(as: NodeRow.self) }
  }

  private static func rows(in transaction: inout Transaction) async throws(StoreError) -> [NodeRow?] {
    var rows: [NodeRow?] = []
    for entry in try await transaction.read(keys) { rows.append(try transaction.value(entry, as: NodeRow.self)) }
    return rows
  }

  /// Begins a life under that name: with the number that the name had, or else with the lowest that is free.
  func take(_ name: Name, at now: WallTime) async throws(StoreError) -> Taking {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreError) -> Taking in
      let rows = try await Self.rows(in: &transaction)
      if let node = rows.firstIndex(where: { $0?.name == name && $0?.state == .live }), let row = rows[node] {
        return .nameInUse(row.life(of: node), row)
      }
      let node =
        rows.firstIndex { $0?.name == name } ?? rows.firstIndex { $0 == nil || $0?.state == .free }
        ?? rows.firstIndex { $0?.state != .live }
      guard let node else { return .full }
      let life = rows[node]?.life(of: node).next ?? NodeBoot(node: node, boot: 0)
      begin(life, name, .live, in: &transaction)
      return .taken(life, rows: rows)
    }
  }

  /// Begins a life of node 0 in a store that no other process has. The numbers of all others are free then.
  func takeAlone(at now: WallTime) async throws(StoreError) -> NodeBoot {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreError) -> NodeBoot in
      let rows = try await Self.rows(in: &transaction)
      let life = rows[0]?.life(of: 0).next ?? .first
      for (node, row) in rows.enumerated().dropFirst() {
        guard var row, row.state != .free else { continue }
        row.state = .free
        transaction.put(Self.keys[node], row)
      }
      begin(life, "", .alone, in: &transaction)
      return life
    }
  }

  private func begin(_ life: NodeBoot, _ name: Name, _ state: NodeRow.State, in transaction: inout Transaction) {
    transaction.put(Self.keys[life.node], NodeRow(name: name, boot: life.boot, state: state))
    transaction.put(fence(of: life), NodeFence(boot: life.boot, isOver: false))
  }

  /// Renews the lease. Returns false if the life counts as over.
  func beat(_ life: NodeBoot, at now: WallTime) async throws(StoreError) -> Bool {
    try await change(life, from: .live, at: now) { row, _ in row.beats &+= 1 } != nil
  }

  /// Declares a boot dead that has not renewed its lease since it had `beats`. Returns false if it has.
  func bury(_ life: NodeBoot, beats: Int, at now: WallTime) async throws(StoreError) -> Bool {
    try await change(life, from: .live, at: now) { [self] row, transaction in
      guard row.beats == beats else { return }
      row.state = .ended
      transaction.put(fence(of: life), NodeFence(boot: life.boot, isOver: true))
    }?.state == .ended
  }

  /// Ends this process's own life.
  func end(_ life: NodeBoot, at now: WallTime) async throws(StoreError) {
    _ = try await change(life, from: .live, at: now) { row, _ in row.state = .ended }
  }

  /// Frees the number of a boot that has no leftovers.
  func free(_ life: NodeBoot, at now: WallTime) async throws(StoreError) {
    _ = try await change(life, from: .ended, at: now) { row, _ in row.state = .free }
  }

  /// Changes the row of a life that has that state. Returns nil if it has another.
  private func change(
    _ life: NodeBoot, from state: NodeRow.State, at now: WallTime, _ change: (inout NodeRow, inout Transaction) -> Void
  ) async throws(StoreError) -> NodeRow? {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreError) -> NodeRow? in
      let key = Self.keys[life.node]
      guard let known = try await transaction.get(key, as: NodeRow.self), known.life(of: life.node) == life,
        known.state == state
      else { return nil }
      var row = known
      change(&row, &transaction)
      if row != known { transaction.put(key, row) }
      return row
    }
  }

  // MARK: The fence

  private func fence(of life: NodeBoot) -> StoreKey { Self.fences.key(String(life.node)) }

  /// Returns the check that fails once the life is over; nil if it is over already.
  func fenceCheck(of life: NodeBoot, at now: WallTime) async throws(StoreError) -> StoreCommit.Check? {
    let key = fence(of: life)
    guard let entry = try await store.read([key], at: now)[0] else { return nil }
    let fence = try entry.value(as: NodeFence.self)
    guard fence.boot == life.boot, !fence.isOver else { return nil }
    return StoreCommit.Check(key.path, entry.version)
  }
}
