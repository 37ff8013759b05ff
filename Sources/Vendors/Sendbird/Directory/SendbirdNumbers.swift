internal import GatewayCore
internal import GatewayKit

/// A generator of increasing numbers that are never reused. It reserves many at a time in the store; unused ones are
/// lost when the process ends.
///
/// A node that must go on behind a number of another node's takes it from what all nodes reserve together, of which each has
/// every 64th number. So nodes that number by turns need no reservation each time.
actor SendbirdNumbers {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private static let table = StoreTable<SendbirdNumberRow>("sendbird.number")
  private static let reservation: Int64 = 1_000
  /// More than any number that is reached.
  private static let most: Int64 = 1 << 60

  /// Reserved numbers.
  private struct Reserved {
    var next: Int64 = 1
    /// The first number behind them.
    var end: Int64 = 1
  }

  private let store: any Store
  private let executor: any SerialExecutor
  nonisolated let key: StoreKey
  /// The node's number; nil without other nodes.
  private let slot: Int64?
  private var own = Reserved()
  private var common = Reserved()
  /// The last number that was reserved before the first of this process.
  private var begin: Int64?
  private var isReserving = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Creates the generator with that name.
  ///
  /// - Parameter node: The node, if numbers must go on behind those of other nodes; nil if not.
  init(_ name: String, in store: any Store, on executor: any SerialExecutor, sharedAs node: NodeBoot? = nil) {
    slot = node.map { Int64($0.node) }
    self.store = store
    self.executor = executor
    key = Self.table.key(name)
  }

  /// Returns the next number that is greater than `last`.
  func take(after last: Int64 = 0, at now: WallTime) async throws(StoreError) -> Int64 {
    let last = min(last, Self.most)
    while true {
      if let number = reserved(after: last) { return number }
      guard !isReserving else {
        await withCheckedContinuation { waiting.append($0) }
        continue
      }
      isReserving = true
      defer {
        isReserving = false
        for continuation in waiting { continuation.resume() }
        waiting = []
      }
      try await reserve(after: last, at: now)
    }
  }

  /// Whether another node has gone ahead: there are numbers of its own left, but others are needed.
  private var slotIfBehind: Int64? { own.next < own.end ? slot : nil }

  private func reserved(after last: Int64) -> Int64? {
    let number = max(own.next, last + 1)
    if number < own.end {
      own.next = number + 1
      return number
    }
    guard let slot = slotIfBehind else { return nil }
    let common = Self.number(from: max(self.common.next, last + 1), of: slot)
    guard common < self.common.end else { return nil }
    self.common.next = common + 1
    return common
  }

  /// Returns the first number of the node that is not below `start`.
  private static func number(from start: Int64, of slot: Int64) -> Int64 {
    let nodes = Int64(NodeBoot.nodes)
    return start + (slot - start % nodes + nodes) % nodes
  }

  private func reserve(after last: Int64, at now: WallTime) async throws(StoreError) {
    let (key, slot, begin) = (key, slotIfBehind, begin ?? 0)
    let reserved: Reserved
    do throws(StoreOr<GatewayError>) {
      reserved = try await store.transact(at: now) {
        (transaction: inout StoreTransaction<StoreOr<GatewayError>>) async throws(StoreOr<GatewayError>) -> Reserved in
        var row = try await transaction.get(key, as: SendbirdNumberRow.self) ?? SendbirdNumberRow(last: 0)
        // What was there before this process may have been used by an earlier one with the node's number.
        // The row is damaged. Half of the maximum is greater than every number that was given.
        if !(0...Self.most).contains(row.last) { row.last = Self.most / 2 }
        if let slot, let first = row.common, let end = row.commonEnd, begin < first, first < end, end <= row.last + 1,
          Self.number(from: max(first, last + 1), of: slot) < end
        {
          return Reserved(next: first, end: end)
        }
        let first = max(last, row.last) + 1
        let end = first + (slot == nil ? Self.reservation : Self.reservation * Int64(NodeBoot.nodes))
        row.last = end - 1
        if slot != nil { (row.common, row.commonEnd) = (first, end) }
        transaction.put(key, row)
        return Reserved(next: first, end: end)
      }
    } catch .store(let error) {
      throw error
    } catch {
      throw .contended
    }
    if slot == nil {
      own = reserved
      self.begin = self.begin ?? reserved.next - 1
    } else {
      common = reserved
    }
  }
}

/// The end of the reserved numbers.
struct SendbirdNumberRow: StoreValue {
  var last: Int64
  /// The first of those that all nodes have together, and the first behind them; nil if there are none.
  var common: Int64?
  var commonEnd: Int64?
}
