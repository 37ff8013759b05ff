package import GatewayCore
package import GatewayKit

/// The calls of Stream's coordinator, with their members and sessions, and the rings that wait for answers.
///
/// Each operation is atomic; an answer reflects every operation whose answer its caller had already seen; a full table
/// throws `GatewayError.tooMany` and loses nothing; a store that is away throws `GatewayError.storeUnavailable`.
package struct StreamCallDirectory: Sendable {
  /// What to make of a call; what it throws leaves the call as it was. It may be made more than once, each time of the call
  /// as it is.
  package typealias Change = (inout StreamCall) throws(GatewayError) -> Void

  typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  static let calls = StoreTable<StreamCallRow>("stream.call")
  /// How many rows are looked at in one step when all are looked through.
  private static let pageSize = 1000

  let store: any Store
  let limits: StreamCallLimits
  /// Who changes a call tells of it before the next does: what is heard is in the order in which it came about.
  let turns = Turns<CallID>()

  /// What `store` remembers.
  package init(_ store: any Store, limits: StreamCallLimits = StreamCallLimits()) {
    self.store = store
    self.limits = limits
  }

  /// The call, nil if there is none, with the memberships of `users`.
  package func call(
    _ id: CallID, with users: [UserID] = [], at now: WallTime
  ) async throws(GatewayError) -> StreamCall? {
    do throws(StoreError) {
      let found = try await store.read(Self.keys(id, users), at: now)
      guard var call = try found[0]?.value(as: StreamCallRow.self).call else { return nil }
      call.definition = try found[1]?.value(as: StreamCallType.self)
      for (user, entry) in zip(users, found[2...]) {
        call.members.learn(user, try entry?.value(as: StreamMemberRow.self).placed)
      }
      return call
    } catch {
      throw GatewayError(error)
    }
  }

  /// The call of that name as it is, with the memberships of `users`, or `call` if there was none; and whether there was
  /// none.
  package func makeCall(
    _ call: StreamCall, with users: [UserID] = [], at now: WallTime
  ) async throws(GatewayError) -> (call: StreamCall, isNew: Bool) {
    try await changing(call.id, with: users, at: now) { (transaction, known) throws(StoreOr<GatewayError>) in
      if let known { return (known, false) }
      try put(call, over: nil, in: &transaction)
      return (call, true)
    }
  }

  /// The call before and after `change`; throws `GatewayError.notFound` if there is none. The ring that `ring` makes of it
  /// waits for its answers from then on, if there is room for one more. The memberships of `users` are looked up at once,
  /// others when they are asked for.
  package func updateCall(
    _ id: CallID, with users: [UserID] = [], at now: WallTime, ring: (StreamCall) -> StreamRing? = { _ in nil },
    _ change: Change
  ) async throws(GatewayError) -> StreamCallChange {
    // What may be left out where there is no room for it.
    var full: Set<StorePath> = []
    let optional = Set(([ringCount] + pastCounts(of: id)).map(\.path))
    while true {
      do throws(StoreOr<GatewayError>) {
        return try await attempt(id, with: users, at: now) { (transaction, known) throws(StoreOr<GatewayError>) in
          guard var before = known else { throw .failure(.notFound) }
          let after = try await make(change, of: &before, in: &transaction)
          if after != before {
            try put(after, over: before, in: &transaction)
            keepPast(before, after, without: full, at: now, in: &transaction)
          }
          if !full.contains(ringCount.path), let ring = ring(after) { try await wait(for: ring, in: &transaction) }
          return StreamCallChange(before: before, after: after)
        }
      } catch .store(.full(let count)) where optional.contains(count.path) && full.insert(count.path).inserted {
        continue
      } catch {
        throw error.failure
      }
    }
  }

  /// Forgets the call, and returns it as it was, with all its members; nil if there was none.
  package func removeCall(_ id: CallID, at now: WallTime) async throws(GatewayError) -> StreamCall? {
    try await changing(id, at: now) { (transaction, known) throws(StoreOr<GatewayError>) in
      guard var call = known else { return nil }
      transaction.delete(Self.calls.key(id.cid))
      for participant in call.participants { transaction.delete(Self.key(participant, id)) }
      try await forgetMembers(of: &call, at: now, in: &transaction)
      try await forgetPast(of: id, at: now, in: &transaction)
      return call
    }
  }

  /// Reads the call and does `body`, again if somebody else has changed the call meanwhile.
  func changing<Answer>(
    _ id: CallID, with users: [UserID] = [], at now: WallTime,
    _ body: (inout Transaction, StreamCall?) async throws(StoreOr<GatewayError>) -> Answer
  ) async throws(GatewayError) -> Answer {
    do throws(StoreOr<GatewayError>) {
      return try await attempt(id, with: users, at: now, body)
    } catch {
      throw error.failure
    }
  }

  private func attempt<Answer>(
    _ id: CallID, with users: [UserID], at now: WallTime,
    _ body: (inout Transaction, StreamCall?) async throws(StoreOr<GatewayError>) -> Answer
  ) async throws(StoreOr<GatewayError>) -> Answer {
    try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> Answer in
      let found = try await transaction.read(Self.keys(id, users))
      var known = try transaction.value(found[0], as: StreamCallRow.self)?.call
      known?.definition = try transaction.value(found[1], as: StreamCallType.self)
      for (user, entry) in zip(users, found[2...]) {
        known?.members.learn(user, try transaction.value(entry, as: StreamMemberRow.self)?.placed)
      }
      return try await body(&transaction, known)
    }
  }

  /// Where the call stands, its type, and the memberships of `users`.
  private static func keys(_ id: CallID, _ users: [UserID]) -> [StoreKey] {
    [calls.key(id.cid), StreamSetup.types.key(id.type)] + users.map { key($0, id) }
  }

  // MARK: Finding

  /// The calls for which `isMeant` holds, in the order that `precedes` gives, with the memberships of `users`. All calls
  /// are looked at in pages: one that is made or removed meanwhile may be in or not.
  package func calls(
    with users: [UserID] = [], where isMeant: (StreamCall) -> Bool, by precedes: (StreamCall, StreamCall) -> Bool,
    at now: WallTime
  ) async throws(GatewayError) -> [StreamCall] {
    var meant: [StreamCall] = []
    var memberships: [(user: UserID, calls: [CallID: StreamCallMembers.Placed])] = []
    for user in users { memberships.append((user, try await self.memberships(of: user, at: now))) }
    let types = try await StreamSetup(store).types(at: now)
    let definitions = Dictionary(types.map { (Name($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    try await visit(Self.calls.range(), at: now) { (entry) throws(StoreError) in
      var call = try entry.value(as: StreamCallRow.self).call
      if !definitions.isEmpty { call.definition = definitions[Name(call.id.type)] }
      for (user, calls) in memberships { call.members.learn(user, calls[call.id]) }
      if isMeant(call) { meant.append(call) }
    }
    return meant.sorted(by: precedes)
  }

  /// The calls in which the user takes part by that connection, or without any if nil, in the order of their names.
  package func calls(
    joinedBy user: UserID, on connection: ConnectionID?, at now: WallTime
  ) async throws(GatewayError) -> [CallID] {
    try await joined(Self.joined.range(user.rawValue, connection?.description ?? ""), at: now)
  }

  /// The calls in which the user takes part by whatever connection.
  package func calls(joinedBy user: UserID, at now: WallTime) async throws(GatewayError) -> Set<CallID> {
    Set(try await joined(Self.joined.range(user.rawValue), at: now))
  }

  /// How many calls somebody takes part in, and how many take part.
  package func countJoined(at now: WallTime) async throws(GatewayError) -> (calls: Int, participants: Int) {
    let joined = try await joined(Self.joined.range(), at: now)
    return (Set(joined).count, joined.count)
  }

  /// The calls in which anybody takes part, in the order of their names.
  package func callsJoined(at now: WallTime) async throws(GatewayError) -> [CallID] {
    Set(try await joined(Self.joined.range(), at: now)).sorted { $0.cid < $1.cid }
  }

  private func joined(_ range: StoreRange, at now: WallTime) async throws(GatewayError) -> [CallID] {
    var calls: [CallID] = []
    try await visit(range, at: now) { (entry) throws(StoreError) in
      calls.append(try entry.value(as: StreamJoinedRow.self).call)
    }
    return calls
  }

  func visit(
    _ range: StoreRange, at now: WallTime, _ body: (StoreEntry) throws(StoreError) -> Void
  ) async throws(GatewayError) {
    var range: StoreRange? = range
    do throws(StoreError) {
      while let rest = range {
        let page = try await store.scan(rest, limit: Self.pageSize, at: now)
        for entry in page { try body(entry) }
        range = page.count < Self.pageSize ? nil : page.last.map { rest.after($0.path) }
      }
    } catch {
      throw GatewayError(error)
    }
  }
}
