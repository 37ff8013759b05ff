internal import GatewayCore
internal import GatewayKit

/// A generator of increasing numbers that are never reused. It reserves many at a time in the store; unused ones are
/// lost when the process ends.
actor SendbirdNumbers {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private static let table = StoreTable<SendbirdNumberRow>("sendbird.number")
  private static let reservation: Int64 = 1_000

  private let store: any Store
  private let executor: any SerialExecutor
  private let key: StoreKey
  private var next: Int64 = 1
  /// The first number that is not reserved.
  private var end: Int64 = 1
  private var isReserving = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Creates the generator with that name.
  init(_ name: String, in store: any Store, on executor: any SerialExecutor) {
    self.store = store
    self.executor = executor
    key = Self.table.key(name)
  }

  func take(at now: WallTime) async throws(StoreError) -> Int64 {
    while next == end {
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
      let first = try await reserve(at: now)
      (next, end) = (first, first + Self.reservation)
    }
    defer { next += 1 }
    return next
  }

  private func reserve(at now: WallTime) async throws(StoreError) -> Int64 {
    let key = key
    do throws(StoreOr<GatewayError>) {
      return try await store.transact(at: now) {
        (transaction: inout StoreTransaction<StoreOr<GatewayError>>) async throws(StoreOr<GatewayError>) -> Int64 in
        let last = try await transaction.get(key, as: SendbirdNumberRow.self)?.last ?? 0
        transaction.put(key, SendbirdNumberRow(last: last + Self.reservation))
        return last + 1
      }
    } catch .store(let error) {
      throw error
    } catch {
      throw .contended
    }
  }
}

/// The end of the reserved numbers.
struct SendbirdNumberRow: StoreValue {
  var last: Int64
}
