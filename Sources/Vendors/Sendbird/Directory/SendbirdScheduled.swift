package import GatewayCore
package import GatewayKit

/// A message that is to be sent later: ann's `lunch?`, at noon, for instance.
package struct SendbirdScheduled: Hashable, StoreValue {
  /// A stage in the life of such a message: it was taken back, for instance.
  package enum Status: String, Hashable, Codable, Sendable, CaseIterable {
    case pending
    case sent
    case canceled
    /// The channel did not take it when its time had come.
    case failed
  }

  /// Given by the directory, rising.
  package var id: Int64 = 0
  /// As it will be sent, without a number.
  package var message: SendbirdMessage
  package var at: WallTime
  package let createdAt: WallTime
  package var status = Status.pending

  package init(_ message: SendbirdMessage, at time: WallTime, createdAt: WallTime) {
    self.message = message
    at = time
    self.createdAt = createdAt
  }
}

/// The messages that are to be sent later, and those that were lately, in the order of their making.
///
/// Each operation is atomic; a full table throws `GatewayError.tooMany`, a store that is away
/// `GatewayError.storeUnavailable`.
package struct SendbirdSchedule: Sendable {
  private typealias Transaction = StoreTransaction<GatewayError>

  private static let table = StoreTable<SendbirdScheduled>("sendbird.scheduled")
  /// Those that are pending, by their times.
  private static let due = StoreTable<SendbirdAgeRow>("sendbird.scheduled-due")
  /// How long one is told of that is done.
  private static let memory = Duration.seconds(7 * 24 * 3_600)

  private let store: any Store
  private let max: Int
  private let numbers: SendbirdNumbers

  /// What `store` remembers, with room for `max` messages.
  package init(_ store: any Store, on executor: any SerialExecutor, max: Int = 10_000) {
    self.store = store
    self.max = max
    numbers = SendbirdNumbers("scheduled", in: store, on: executor)
  }

  // MARK: Looking

  package func scheduled(_ id: Int64, at now: WallTime) async throws(GatewayError) -> SendbirdScheduled? {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.key(id), as: SendbirdScheduled.self, at: now)
    }
  }

  /// Those that are meant, in the order of their making.
  package func all(
    at now: WallTime, where isMeant: (SendbirdScheduled) -> Bool
  ) async throws(GatewayError) -> [SendbirdScheduled] {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.scan(Self.table.range(), limit: max, at: now).map {
        (entry) throws(StoreError) in try entry.value(as: SendbirdScheduled.self)
      }.filter(isMeant)
    }
  }

  /// The first of those that are pending, at most `count`, in the order of their times.
  package func first(_ count: Int, at now: WallTime) async throws(GatewayError) -> [SendbirdScheduled] {
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

  package func add(_ scheduled: SendbirdScheduled, at now: WallTime) async throws(GatewayError) -> SendbirdScheduled {
    var scheduled = scheduled
    scheduled.id = try await GatewayError.asking { () async throws(StoreError) in try await numbers.take(at: now) }
    return try await store.transact(at: now) { [scheduled] (transaction: inout Transaction) throws(GatewayError) in
      put(scheduled, in: &transaction, at: now)
      return scheduled
    }
  }

  /// Changes one that is pending still; nil if it is not, or is not there. Of several who do so one comes first.
  package func changePending(
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

  /// Notes that it is sent by this very transaction: both are done, or neither is. False if it is no longer pending, or was
  /// changed since it was read.
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
