internal import GatewayCore
internal import GatewayKit

/// A message to be sent later.
struct SendbirdScheduled: Hashable, StoreValue {
  /// The status of a scheduled message.
  enum Status: String, Hashable, Codable, Sendable, CaseIterable {
    case pending
    case sent
    case canceled
    /// The channel refused it when it was due.
    case failed
  }

  /// The number that the directory assigns, increasing.
  var id: Int64 = 0
  /// The message as it will be sent, without a number.
  var message: SendbirdMessage
  var at: WallTime
  let createdAt: WallTime
  var status = Status.pending

  init(_ message: SendbirdMessage, at time: WallTime, createdAt: WallTime) {
    self.message = message
    at = time
    self.createdAt = createdAt
  }
}

/// The scheduled messages, and recently sent ones, in the order of their creation.
///
/// Each operation is atomic; a full table throws `GatewayError.tooMany`, an unavailable store
/// `GatewayError.storeUnavailable`.
struct SendbirdSchedule: Sendable {
  private typealias Transaction = StoreTransaction<GatewayError>

  private static let table = StoreTable<SendbirdScheduled>("sendbird.scheduled")
  /// The pending ones by time.
  private static let due = StoreTable<SendbirdAgeRow>("sendbird.scheduled-due")
  /// How long a finished one is stored.
  private static let memory = Duration.seconds(7 * 24 * 3_600)

  private let store: any Store
  private let max: Int
  private let numbers: SendbirdNumbers

  /// Creates a directory in `store`, with room for `max` messages.
  init(_ store: any Store, on executor: any SerialExecutor, max: Int = 10_000) {
    self.store = store
    self.max = max
    numbers = SendbirdNumbers("scheduled", in: store, on: executor)
  }

  // MARK: Reading

  func scheduled(_ id: Int64, at now: WallTime) async throws(GatewayError) -> SendbirdScheduled? {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.key(id), as: SendbirdScheduled.self, at: now)
    }
  }

  /// Returns the matching messages in the order of their creation.
  func all(
    at now: WallTime, where isMeant: (SendbirdScheduled) -> Bool
  ) async throws(GatewayError) -> [SendbirdScheduled] {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.scan(Self.table.range(), limit: max, at: now).map {
        (entry) throws(StoreError) in try entry.value(as: SendbirdScheduled.self)
      }.filter(isMeant)
    }
  }

  /// Returns the first pending ones, at most `count`, in the order of their times.
  func first(_ count: Int, at now: WallTime) async throws(GatewayError) -> [SendbirdScheduled] {
    try await GatewayError.asking { () async throws(StoreError) in
      let rows = try await store.scan(Self.due.range(), limit: count, at: now).map {
        (entry) throws(StoreError) in try entry.value(as: SendbirdAgeRow.self)
      }
      var found: [SendbirdScheduled] = []
      for entry in try await store.read(rows.map { Self.key($0.number) }, at: now) {
        if let entry { found.append(try entry.value(as: SendbirdScheduled.self)) }
      }
      return found
    }
  }

  // MARK: Changing

  func add(_ scheduled: SendbirdScheduled, at now: WallTime) async throws(GatewayError) -> SendbirdScheduled {
    var scheduled = scheduled
    scheduled.id = try await GatewayError.asking { () async throws(StoreError) in try await numbers.take(at: now) }
    return try await store.transact(at: now) { [scheduled] (transaction: inout Transaction) throws(GatewayError) in
      put(scheduled, in: &transaction, at: now)
      return scheduled
    }
  }

  /// Changes a pending one; returns nil if it is not pending or does not exist. Concurrent changes run one after
  /// another.
  func changePending(
    _ id: Int64, at now: WallTime, _ change: (inout SendbirdScheduled) -> Void
  ) async throws(GatewayError) -> SendbirdScheduled? {
    try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> SendbirdScheduled? in
      guard var known = try await transaction.get(Self.key(id), as: SendbirdScheduled.self), known.status == .pending
      else { return nil }
      transaction.delete(Self.dueKey(known))
      change(&known)
      put(known, in: &transaction, at: now)
      return known
    }
  }

  /// Notes in this transaction that it is sent: both are committed, or neither. Returns false if it is no longer
  /// pending, or was changed since it was read.
  func noteSent<Failure: StoreFailure>(
    _ scheduled: SendbirdScheduled, in transaction: inout StoreTransaction<Failure>, at now: WallTime
  ) async throws(Failure) -> Bool {
    let known = try await transaction.get(Self.key(scheduled.id), as: SendbirdScheduled.self)
    guard var sent = known, sent == scheduled, sent.status == .pending else { return false }
    transaction.delete(Self.dueKey(sent))
    sent.status = .sent
    put(sent, in: &transaction, at: now)
    return true
  }

  // MARK: Rows

  private static func key(_ id: Int64) -> StoreKey {
    table.key(SendbirdAges.text(id))
  }

  private static func dueKey(_ scheduled: SendbirdScheduled) -> StoreKey {
    due.key(SendbirdAges.text(scheduled.at.nanoseconds / 1_000_000), SendbirdAges.text(scheduled.id))
  }

  private func put<Failure: StoreFailure>(
    _ scheduled: SendbirdScheduled, in transaction: inout StoreTransaction<Failure>, at now: WallTime
  ) {
    let count = StoreCount("sendbird.scheduled", atMost: max, of: "scheduled messages")
    let isPending = scheduled.status == .pending
    transaction.put(Self.key(scheduled.id), scheduled, expires: isPending ? nil : now + Self.memory, in: [count])
    if isPending { transaction.put(Self.dueKey(scheduled), SendbirdAgeRow(number: scheduled.id, parts: [])) }
  }
}
