internal import GatewayCore
internal import GatewayKit
internal import Synchronization

/// The rows of webhooks that are not delivered yet, in a store that outlives the process.
///
/// A row lies under its origin, the life of a process that first stored it, and the row of the origin names the life that owns
/// it. One commit thus hands all webhooks of a dead process over to another, and they keep their order.
final class WebhookRows: Sendable {
  /// The place of a row. Numbers rise in the order in which webhooks were queued.
  struct ID: Hashable, Sendable {
    let origin: UInt64
    let number: UInt64
  }

  /// The maximum number of bytes of a body in a row. A webhook with more is in memory only.
  static let bodyBytesMax = 1 << 20
  /// The maximum number of rows of a commit, and of their bodies' bytes beyond the first.
  private static let batchMax = (rows: 64, bytes: 1 << 20)

  static let webhooks = StoreTable<WebhookRow>("gateway.webhook")
  static let owners = StoreTable<WebhookOwner>("gateway.webhook.owner")

  enum Change {
    case put(Webhook, attempts: Int, madeAt: WallTime)
    case delete
  }

  /// An origin that this process has taken over.
  struct Inherited {
    /// The number of its rows that are in the queue, or are to be deleted.
    var left = 0
    /// The last row that was read; nil for none.
    var last: UInt64?
    var isBeingRead = true
    /// Whether all of its rows were read.
    var isRead = false
  }

  struct State {
    var last: UInt64 = 0
    var changes: [ID: Change] = [:]
    /// The rows with changes, in the order of these, among others without.
    var order = WebhookFIFO<ID>()
    /// The rows that the store may have, with their vendors.
    var stored: [ID: Name] = [:]
    /// The new rows of the commit under way.
    var underWay: Set<ID> = []
    var isOwned = false
    var inherited: [UInt64: Inherited] = [:]
    /// The origins without rows, whose own rows are to be deleted.
    var over: [UInt64] = []
    var isWriting = false
    /// Called once nothing is left to write.
    var written: (@Sendable (Bool) -> Void)?

    var hasWork: Bool { !changes.isEmpty || !over.isEmpty }
  }

  private struct Batch {
    var rows: [(id: ID, change: Change, isNew: Bool)] = []
    var over: [UInt64] = []
    var writes: [StoreCommit.Write] = []
  }

  let store: any Store
  let life: NodeBoot
  /// The origin of this process.
  let origin: UInt64
  let state = Mutex(State())

  /// - Parameter now: The time, by which one life of a number is told from another.
  init(_ store: any Store, of life: NodeBoot, at now: WallTime) {
    (self.store, self.life) = (store, life)
    let milliseconds = UInt64(max(0, now.nanoseconds / 1_000_000))
    origin = milliseconds << 20 | UInt64(life.node) << 14 | UInt64(life.boot)
  }

  static func text(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  static func key(_ id: ID) -> StoreKey { webhooks.key(text(id.origin), text(id.number)) }

  static func key(of origin: UInt64) -> StoreKey { owners.key(text(origin)) }

  // MARK: Changes, from any thread

  /// Has a webhook stored. Returns the place of its row; nil if it is too large for one.
  func add(_ webhook: Webhook, at now: WallTime) -> ID? {
    guard webhook.body.count <= Self.bodyBytesMax else { return nil }
    return state.withLock { state in
      state.last += 1
      let id = ID(origin: origin, number: state.last)
      Self.change(id, .put(webhook, attempts: 0, madeAt: now), in: &state)
      return id
    }
  }

  /// Has the number of failed attempts stored.
  func note(_ attempts: Int, of webhook: Webhook, madeAt: WallTime, at id: ID) {
    state.withLock { Self.change(id, .put(webhook, attempts: attempts, madeAt: madeAt), in: &$0) }
  }

  /// Has the row of a webhook deleted that is delivered or given up. A row that is not stored yet never is.
  func remove(_ id: ID) {
    state.withLock { state in
      if state.stored[id] == nil {
        state.changes[id] = nil
      } else {
        Self.change(id, .delete, in: &state)
      }
    }
  }

  private static func change(_ id: ID, _ change: Change, in state: inout State) {
    if state.changes.updateValue(change, forKey: id) != nil { return }
    state.order.append(id)
    // While the store is away, most of the list are webhooks that were delivered.
    guard state.order.count > 2 * state.changes.count + 64 else { return }
    var seen: Set<ID> = []
    let changes = state.changes
    state.order.keep { changes[$0] != nil && seen.insert($0).inserted }
  }

  // MARK: Writing

  /// Returns whether the caller has to write now: there is something to write, and nobody else does.
  func beginsWriting() -> Bool {
    state.withLock { state in
      guard state.hasWork, !state.isWriting else { return false }
      state.isWriting = true
      return true
    }
  }

  /// Returns whether nothing is left to write; then the writing is over.
  func endsWriting() -> Bool {
    let (isOver, written) = state.withLock { state -> (Bool, (@Sendable (Bool) -> Void)?) in
      guard !state.hasWork else { return (false, nil) }
      state.isWriting = false
      defer { state.written = nil }
      return (true, state.written)
    }
    written?(true)
    return isOver
  }

  /// Calls `written` once nothing is left to write.
  func whenWritten(_ written: @escaping @Sendable (Bool) -> Void) {
    let isWritten = state.withLock { state in
      guard state.hasWork || state.isWriting else { return true }
      state.written = written
      return false
    }
    if isWritten { written(true) }
  }

  /// Writes one batch of changes, all or none. Only between ``beginsWriting()`` and ``endsWriting()``.
  func write(at now: WallTime) async throws(StoreError) {
    let batch = state.withLock { takeBatch(&$0) }
    guard !batch.writes.isEmpty else { return }
    do throws(StoreError) {
      _ = try await store.settle(StoreCommit(writes: batch.writes), at: now)
    } catch {
      state.withLock { Self.undo(batch, after: error, in: &$0) }
      throw error
    }
    state.withLock { finish(batch, in: &$0) }
  }

  private func takeBatch(_ state: inout State) -> Batch {
    var (batch, bytes) = (Batch(), 0)
    while batch.rows.count < Self.batchMax.rows, bytes < Self.batchMax.bytes, let id = state.order.popFirst() {
      guard let change = state.changes.removeValue(forKey: id) else { continue }
      var isNew = false
      switch change {
      case .put(let webhook, let attempts, let madeAt):
        guard let row = StoredWebhook(webhook, attempts: attempts, madeAt: madeAt) else { continue }
        isNew = state.stored.updateValue(row.vendor, forKey: id) == nil
        if isNew { state.underWay.insert(id) }
        bytes += row.body.utf8.count
        batch.writes.append(StoreCommit.Write(Self.key(id), WebhookRow(row)))
      case .delete:
        batch.writes.append(StoreCommit.Write(Self.key(id), nil))
      }
      batch.rows.append((id, change, isNew))
    }
    if !state.isOwned, batch.rows.contains(where: { $0.id.origin == origin }) {
      batch.writes.append(StoreCommit.Write(Self.key(of: origin), WebhookOwner(life)))
    }
    swap(&batch.over, &state.over)
    batch.writes += batch.over.map { StoreCommit.Write(Self.key(of: $0), nil) }
    return batch
  }

  private func finish(_ batch: Batch, in state: inout State) {
    state.underWay = []
    for row in batch.rows {
      if row.id.origin == origin { state.isOwned = true }
      guard case .delete = row.change else { continue }
      state.stored[row.id] = nil
      state.inherited[row.id.origin]?.left -= 1
      Self.end(row.id.origin, in: &state)
    }
  }

  private static func undo(_ batch: Batch, after error: StoreError, in state: inout State) {
    state.underWay = []
    let isUnknown = if case .unknown = error { true } else { false }
    for row in batch.rows {
      let isAbsent = row.isNew && !isUnknown
      if isAbsent { state.stored[row.id] = nil }
      switch state.changes[row.id] {
      case nil: change(row.id, row.change, in: &state)
      // It was delivered in the meantime.
      case .delete where isAbsent: state.changes[row.id] = nil
      default: break
      }
    }
    state.over += batch.over
  }

  /// Has the row of an inherited origin deleted if it has no others.
  static func end(_ origin: UInt64, in state: inout State) {
    guard let known = state.inherited[origin], known.isRead, known.left <= 0 else { return }
    state.inherited[origin] = nil
    state.over.append(origin)
  }

  /// Has the row of its own origin deleted if that has no others. No webhook may be added after that.
  func end() {
    state.withLock { state in
      guard state.isOwned, !state.stored.keys.contains(where: { $0.origin == origin }) else { return }
      state.isOwned = false
      state.over.append(origin)
    }
  }

  // MARK: Figures

  /// Whether nothing is to be written, or to be deleted at the end.
  var isIdle: Bool { state.withLock { !$0.hasWork && !$0.isWriting && !$0.isOwned } }

  /// The number of rows in the store.
  var count: Int { state.withLock { $0.stored.count - $0.underWay.count } }

  /// The number of webhooks that the store keeps for the next process, by vendor.
  var kept: [Name: Int] {
    state.withLock { state in
      var kept: [Name: Int] = [:]
      for (id, vendor) in state.stored where !state.underWay.contains(id) {
        if case .delete = state.changes[id] { continue }
        kept[vendor, default: 0] += 1
      }
      return kept
    }
  }
}
