internal import GatewayCore
internal import GatewayKit

/// The calls of Stream's coordinator with their members and sessions, and the open rings.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete. A full table
/// throws `GatewayError.tooMany` and loses nothing; an unavailable store throws `GatewayError.storeUnavailable`.
struct StreamCallDirectory: Sendable {
  /// A change of a call. If it throws, the call stays as it was. It may run more than once, each time on the current
  /// call.
  typealias Change = (inout StreamCall) throws(GatewayError) -> Void

  typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  static let calls = StoreTable<StreamCallRow>("stream.call")

  let store: any Store
  let limits: StreamCallLimits
  /// Serialises the changes of a call together with their events, so that events arrive in the order of the changes, from
  /// whichever node.
  let turns: NodeTurns<CallID>

  /// Creates a directory in `store`, whose turns are those of all nodes, if there are others.
  init(_ store: any Store, limits: StreamCallLimits = StreamCallLimits(), turns: (any Turns)? = nil) {
    self.turns = NodeTurns(of: "stream.call", among: turns) { $0.cid }
    self.store = store
    self.limits = limits
  }

  /// Returns the call with the memberships of `users`; nil if there is none.
  func call(
    _ id: CallID, with users: [UserID] = [], at now: WallTime
  ) async throws(GatewayError) -> StreamCall? {
    try await lookUp(id, with: users, naming: [], at: now).call
  }

  /// A call, nil if there is none, with the settings that servers have made for its type, and users.
  struct Found: Sendable {
    var call: StreamCall?
    var definition: StreamCallType?
    var users: [StreamUser]
  }

  /// Returns the call with the memberships of `users`, and the existing users of `named`: all at one moment.
  func lookUp(
    _ id: CallID, with users: [UserID], naming named: [UserID], at now: WallTime
  ) async throws(GatewayError) -> Found {
    do throws(StoreError) {
      let keys = Self.keys(id, users)
      let read = try await store.read(keys + named.map { StreamDirectory.users.key($0.rawValue) }, at: now)
      var found = Found(definition: try read[1]?.value(as: StreamCallType.self), users: [])
      for case let entry? in read[keys.count...] { found.users.append(try entry.value(as: StreamUser.self)) }
      guard var call = try read[0]?.value(as: StreamCallRow.self).call else { return found }
      call.definition = found.definition
      for (user, entry) in zip(users, read[2..<keys.count]) {
        call.members.learn(user, try entry?.value(as: StreamMemberRow.self).placed)
      }
      found.call = call
      return found
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the call with that name and the memberships of `users`, and creates it as `call` if there is none; also
  /// returns whether it was created.
  func makeCall(
    _ call: StreamCall, with users: [UserID] = [], at now: WallTime
  ) async throws(GatewayError) -> (call: StreamCall, isNew: Bool) {
    try await changing(call.id, with: users, at: now) { (transaction, known) throws(StoreOr<GatewayError>) in
      if let known { return (known, false) }
      try put(call, over: nil, in: &transaction)
      return (call, true)
    }
  }

  /// Returns the call before and after `change`; throws `GatewayError.notFound` if there is none. Stores the ring that
  /// `ring` makes of it, if there is room. The memberships of `users` are looked up at once, others when they are
  /// needed.
  func updateCall(
    _ id: CallID, with users: [UserID] = [], at now: WallTime, ring: (StreamCall) -> StreamRing? = { _ in nil },
    _ change: Change
  ) async throws(GatewayError) -> StreamCallChange {
    // The optional rows for which there is no room.
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

  /// Removes the call, and returns it as it was with all its members; nil if there was none.
  func removeCall(_ id: CallID, at now: WallTime) async throws(GatewayError) -> StreamCall? {
    try await changing(id, at: now) { (transaction, known) throws(StoreOr<GatewayError>) in
      guard var call = known else { return nil }
      transaction.delete(Self.calls.key(id.cid))
      for participant in call.participants { transaction.delete(Self.key(participant, id)) }
      try await forgetMembers(of: &call, at: now, in: &transaction)
      try await forgetPast(of: id, at: now, in: &transaction)
      return call
    }
  }

  /// Reads the call and runs `body`, again if the call was changed in between.
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

  /// Returns the keys of the call, its type, and the memberships of `users`.
  private static func keys(_ id: CallID, _ users: [UserID]) -> [StoreKey] {
    [calls.key(id.cid), StreamSetup.types.key(id.type)] + users.map { key($0, id) }
  }

  // MARK: Queries

  /// Returns the calls for which `isMeant` holds, in the order of `precedes`, with the memberships of `users`. All
  /// calls are read in pages: one that is created or removed during that time may be included or not.
  func calls(
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

  /// Returns the calls in which the user takes part by that connection, or without any if nil, sorted by name.
  func calls(
    joinedBy user: UserID, on connection: ConnectionID?, at now: WallTime
  ) async throws(GatewayError) -> [CallID] {
    try await joined(Self.joined.range(user.rawValue, connection?.description ?? ""), at: now)
  }

  /// Returns the calls in which the user takes part by any connection.
  func calls(joinedBy user: UserID, at now: WallTime) async throws(GatewayError) -> Set<CallID> {
    Set(try await joined(Self.joined.range(user.rawValue), at: now))
  }

  /// Returns the number of calls with participants, and of participants.
  func countJoined(at now: WallTime) async throws(GatewayError) -> (calls: Int, participants: Int) {
    let joined = try await joined(Self.joined.range(), at: now)
    return (Set(joined).count, joined.count)
  }

  /// Returns the calls with participants, sorted by name.
  func callsJoined(at now: WallTime) async throws(GatewayError) -> [CallID] {
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
    do throws(StoreError) {
      try await store.visit(range, at: now) { (page) throws(StoreError) in
        for entry in page { try body(entry) }
        return true
      }
    } catch {
      throw GatewayError(error)
    }
  }
}
