internal import GatewayCore
internal import GatewayKit
internal import Synchronization

// The webhooks that dead processes left.

extension WebhookRows {
  /// The rows of origins that this process has taken over, oldest first.
  struct Leftovers {
    fileprivate var cursors: [Cursor] = []
  }

  /// A row; without a webhook if it cannot be read.
  struct Leftover {
    let id: ID
    let webhook: StoredWebhook?
  }

  fileprivate struct Cursor {
    let origin: UInt64
    var rest: StoreRange
    var page: ArraySlice<Leftover> = []
    var isRead = false
  }

  /// The number of rows that one scan reads. All bodies of a process have 64 MiB at most.
  private static let pageSize = 128
  /// The maximum number of rows that are deleted because the engine cannot read them, at one time.
  private static let damagedMax = 100

  /// Makes this process the owner of the webhooks that `dead` lives own. Several processes may ask for the same: one gets them.
  func claim(_ dead: DeadBoots, at now: WallTime) async throws(StoreError) -> Leftovers {
    var leftovers = Leftovers()
    var rest = Self.owners.range()
    do throws(StoreError) {
      while true {
        let page = try await scan(rest, under: [], at: now)
        for entry in page {
          guard let origin = Self.number(of: entry.path), origin != self.origin else { continue }
          let owner = try entry.value(as: WebhookOwner.self).life
          guard begins(origin, of: owner, dead) else { continue }
          leftovers.cursors.append(Cursor(origin: origin, rest: range(of: origin)))
          guard owner != life else { continue }
          let commit = StoreCommit(
            checks: [StoreCommit.Check(entry.path, entry.version)],
            writes: [StoreCommit.Write(Self.key(of: origin), WebhookOwner(life))])
          if try await !store.settle(commit, at: now) {
            leftovers.cursors.removeLast()
            state.withLock { $0.inherited[origin] = nil }
          }
        }
        guard let last = page.last, page.count == Self.pageSize else { return leftovers }
        rest = rest.after(last.path)
      }
    } catch {
      abandon(leftovers)
      throw error
    }
  }

  /// Returns whether the origin's rows are to be read, and notes that they are.
  private func begins(_ origin: UInt64, of owner: NodeBoot?, _ dead: DeadBoots) -> Bool {
    state.withLock { state in
      guard owner.map({ $0 == life || dead.contains($0) }) ?? dead.isEverybody else { return false }
      if let known = state.inherited[origin], known.isBeingRead || known.isRead { return false }
      state.inherited[origin, default: Inherited()].isBeingRead = true
      return true
    }
  }

  private func range(of origin: UInt64) -> StoreRange {
    let range = Self.webhooks.range(Self.text(origin))
    guard let last = state.withLock({ $0.inherited[origin]?.last }) else { return range }
    return range.after(Self.key(ID(origin: origin, number: last)).path)
  }

  /// Returns the next rows; nil if there are no more. Rows of one origin are in their order, and the older origin comes first.
  func next(of leftovers: inout Leftovers, at now: WallTime) async throws(StoreError) -> [Leftover]? {
    var rows: [Leftover] = []
    while rows.count < Self.pageSize {
      for index in leftovers.cursors.indices { try await fill(&leftovers.cursors[index], at: now) }
      // One that cannot be read keeps none waiting.
      let heads = leftovers.cursors.indices.compactMap { index in
        leftovers.cursors[index].page.first.map { (index: index, madeAt: $0.webhook?.madeAt.nanoseconds ?? .min) }
      }
      guard let first = heads.min(by: { $0.madeAt < $1.madeAt }),
        let row = leftovers.cursors[first.index].page.popFirst()
      else { break }
      rows.append(row)
    }
    return rows.isEmpty ? nil : rows
  }

  private func fill(_ cursor: inout Cursor, at now: WallTime) async throws(StoreError) {
    guard cursor.page.isEmpty, !cursor.isRead else { return }
    let page = try await scan(cursor.rest, under: [Self.text(cursor.origin)], at: now)
    cursor.isRead = page.count < Self.pageSize
    if let last = page.last { cursor.rest = cursor.rest.after(last.path) }
    for entry in page {
      guard let number = Self.number(of: entry.path) else { continue }
      cursor.page.append(
        Leftover(
          id: ID(origin: cursor.origin, number: number), webhook: try entry.value(as: WebhookRow.self).webhook))
    }
  }

  /// Notes that a row was read: the webhook is in the queue, or the row is removed next.
  func adopt(_ row: Leftover) {
    state.withLock { state in
      state.stored[row.id] = row.webhook?.vendor ?? ""
      state.inherited[row.id.origin]?.left += 1
      state.inherited[row.id.origin]?.last = row.id.number
    }
  }

  /// Notes that all rows were read.
  func finish(_ leftovers: Leftovers) {
    state.withLock { state in
      for cursor in leftovers.cursors {
        state.inherited[cursor.origin]?.isBeingRead = false
        state.inherited[cursor.origin]?.isRead = true
        Self.end(cursor.origin, in: &state)
      }
    }
  }

  /// Notes that not all rows were read. They are read by the next claim.
  func abandon(_ leftovers: Leftovers) {
    state.withLock { state in
      for cursor in leftovers.cursors { state.inherited[cursor.origin]?.isBeingRead = false }
    }
  }

  // MARK: Damage

  /// Returns whether the store answers.
  func isThere(at now: WallTime) async -> Bool {
    do throws(StoreError) {
      _ = try await store.read([Self.owners.key("none")], at: now)
      return true
    } catch {
      return false
    }
  }

  /// Returns the first rows of a range, and deletes those that the engine cannot read.
  private func scan(
    _ range: StoreRange, under parts: [String], at now: WallTime
  ) async throws(StoreError) -> [StoreEntry] {
    for _ in 0..<Self.damagedMax {
      do throws(StoreError) {
        return try await store.scan(range, limit: Self.pageSize, at: now)
      } catch {
        guard let damaged = await damaged(in: range, under: parts, at: now) else { throw error }
        _ = try await store.settle(StoreCommit(writes: [StoreCommit.Write(damaged, nil)]), at: now)
      }
    }
    return try await store.scan(range, limit: Self.pageSize, at: now)
  }

  /// Returns a row of the range that the engine cannot read; nil if there is none, or the store is away.
  private func damaged(in range: StoreRange, under parts: [String], at now: WallTime) async -> StoreKey? {
    func key(_ number: UInt64) -> StoreKey {
      parts.first.map { Self.webhooks.key($0, Self.text(number)) } ?? Self.owners.key(Self.text(number))
    }
    func canRead(after number: UInt64) async -> Bool {
      (try? await store.scan(range.after(key(number).path), limit: Self.pageSize, at: now)) != nil
    }
    // The page after `low` cannot be read, the page after `high` can. Pages of neighbours differ in the row between.
    var (low, high) = (UInt64.min, UInt64.max)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if await canRead(after: middle) { high = middle } else { low = middle }
    }
    guard await isThere(at: now), (try? await store.read([key(high)], at: now)) == nil else { return nil }
    return key(high)
  }

  /// Returns the number that is the last part of a path.
  private static func number(of path: StorePath) -> UInt64? {
    UInt64(String(decoding: path.bytes.dropLast().suffix(16), as: UTF8.self), radix: 16)
  }
}
