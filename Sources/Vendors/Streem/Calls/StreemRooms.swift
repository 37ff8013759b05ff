internal import GatewayCore
internal import GatewayKit

/// The calls of a Streem platform.
struct StreemRooms: Sendable {
  private static let rooms = StoreTable<StreemRoom>("streem.room")
  private static let places = StoreTable<StreemRoomPlace>("streem.place")
  private static let references = StoreTable<StreemRoomPlace>("streem.reference")
  /// The maximum number of share tokens of one call.
  private static let sharesMax = 100
  /// How long an ended call is stored.
  private static let endMemory = Duration.seconds(86_400)

  private typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  private let store: any Store
  /// The maximum number of current calls, and of stored ended calls.
  private let countMax: Int

  init(_ store: any Store, countMax: Int = 100_000) {
    self.store = store
    self.countMax = countMax
  }

  /// Starts a call. Throws if the caller's connection is in one already, or there are too many.
  func start(_ room: StreemRoom, by connection: ConnectionID, at now: WallTime) async throws(GatewayError) {
    try await changing(at: now) { (transaction) throws(StoreOr<GatewayError>) in
      try await checkFree(connection, in: &transaction)
      put(room, in: &transaction)
      transaction.put(Self.places.key(connection.description), StreemRoomPlace(room: room.sid))
      if let key = Self.referenceKey(room) { transaction.put(key, StreemRoomPlace(room: room.sid)) }
    }
  }

  /// Adds the called user to the call. Throws unless the call rings for `user`, and the roles are a customer and a pro.
  func join(
    _ sid: Name, user: Name, role: StreemRole?, by connection: ConnectionID, at now: WallTime
  ) async throws(GatewayError) -> StreemRoom {
    try await changing(at: now) { (transaction) throws(StoreOr<GatewayError>) in
      guard var room = try await transaction.get(Self.rooms.key(sid.text), as: StreemRoom.self), room.state == .ringing,
        room.callee.user.id == user
      else { throw .failure(.notFound.detailed("no call of this roomSid rings for this user")) }
      try await checkFree(connection, in: &transaction)
      if let role {
        guard role.isPro != room.caller.role.isPro else {
          throw .failure(
            .invalidParameter.detailed("one of the two roles must be a customer's, the other a pro's"))
        }
        room.callee.role = role
      }
      room.callee.connection = connection
      room.state = .live
      put(room, in: &transaction)
      transaction.put(Self.places.key(connection.description), StreemRoomPlace(room: sid))
      return room
    }
  }

  /// Ends a call for both users. Returns it with its connections, so that they can be notified; throws if `user` is not
  /// in it, or it has ended.
  func leave(_ sid: Name, user: Name, at now: WallTime) async throws(GatewayError) -> StreemRoom {
    let room: StreemRoom? = try await ending(at: now) { (transaction) throws(StoreOr<GatewayError>) in
      guard let room = try await transaction.get(Self.rooms.key(sid.text), as: StreemRoom.self),
        [room.caller.user.id, room.callee.user.id].contains(user)
      else { return nil }
      return room
    }
    guard let room else { throw .notFound.detailed("this user is in no call of this roomSid") }
    return room
  }

  /// Ends the call that the connection is in, and returns it; nil if there is none.
  func leave(_ connection: ConnectionID, at now: WallTime) async throws(GatewayError) -> StreemRoom? {
    try await ending(at: now) { (transaction) throws(StoreOr<GatewayError>) in
      let key = Self.places.key(connection.description)
      guard let place = try await transaction.get(key, as: StreemRoomPlace.self) else { return nil }
      return try await transaction.get(Self.rooms.key(place.room.text), as: StreemRoom.self)
    }
  }

  /// Returns the calls that go on although a connection in them was one of a `dead` life.
  func left(by dead: DeadBoots, at now: WallTime) async throws(GatewayError) -> [Name] {
    var left: [Name] = []
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.visit(Self.rooms.range(), at: now) { (page) throws(StoreError) in
        for entry in page {
          let room = try entry.value(as: StreemRoom.self)
          if room.state != .ended, room.connections.contains(where: { dead.contains($0) }) { left.append(room.sid) }
        }
        return true
      }
    }
    return left
  }

  /// Ends a call for both users, and returns it; nil if it has ended.
  func end(_ sid: Name, at now: WallTime) async throws(GatewayError) -> StreemRoom? {
    try await ending(at: now) { (transaction) throws(StoreOr<GatewayError>) in
      try await transaction.get(Self.rooms.key(sid.text), as: StreemRoom.self)
    }
  }

  /// Returns the company's calls with that reference, latest first.
  func rooms(
    of company: Name, referenceID: Name, limit: Int, at now: WallTime
  ) async throws(GatewayError) -> [StreemRoom] {
    do throws(StoreError) {
      var keys: [StoreKey] = []
      let range = Self.references.range(company.text, referenceID.text)
      for entry in try await store.scan(range, limit: limit, at: now) {
        keys.append(Self.rooms.key(try entry.value(as: StreemRoomPlace.self).room.text))
      }
      var rooms: [StreemRoom] = []
      for entry in try await store.read(keys, at: now) {
        if let entry { rooms.append(try entry.value(as: StreemRoom.self)) }
      }
      return rooms
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the call that the connection is in; nil if there is none.
  func room(of connection: ConnectionID, at now: WallTime) async throws(GatewayError) -> StreemRoom? {
    do throws(StoreError) {
      let key = Self.places.key(connection.description)
      guard let place = try await store.get(key, as: StreemRoomPlace.self, at: now) else { return nil }
      return try await store.get(Self.rooms.key(place.room.text), as: StreemRoom.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the call with that sid; nil if there is none, or it ended long ago.
  func room(_ sid: Name, at now: WallTime) async throws(GatewayError) -> StreemRoom? {
    do throws(StoreError) {
      return try await store.get(Self.rooms.key(sid.text), as: StreemRoom.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  /// Adds a share token to a call by its hash. Throws `GatewayError.notFound` if the company has no such call.
  func share(
    _ sid: Name, of company: Name, by tokenHash: [UInt8], at now: WallTime
  ) async throws(GatewayError) -> StreemRoom {
    try await changing(at: now) { (transaction) throws(StoreOr<GatewayError>) in
      guard var room = try await transaction.get(Self.rooms.key(sid.text), as: StreemRoom.self),
        room.company == company
      else { throw .failure(.notFound.detailed("there is no such room")) }
      guard room.shares?.count ?? 0 < Self.sharesMax else {
        throw .failure(.tooMany.detailed("\(Self.sharesMax) share tokens of one room"))
      }
      room.shares = (room.shares ?? []) + [tokenHash]
      if room.state == .ended { keep(room, at: now, in: &transaction) } else { put(room, in: &transaction) }
      return room
    }
  }

  // MARK: Changes

  private func changing<Answer>(
    at now: WallTime,
    _ body: nonisolated(nonsending) (inout Transaction) async throws(StoreOr<GatewayError>) -> Answer
  ) async throws(GatewayError) -> Answer {
    do throws(StoreOr<GatewayError>) {
      return try await store.transact(at: now, body)
    } catch {
      throw error.failure
    }
  }

  /// Ends the call that `find` returns, if it has not ended.
  private func ending(
    at now: WallTime,
    _ find: nonisolated(nonsending) (inout Transaction) async throws(StoreOr<GatewayError>) -> StreemRoom?
  ) async throws(GatewayError) -> StreemRoom? {
    for isKept in [true, false] {
      do throws(StoreOr<GatewayError>) {
        return try await store.transact(at: now) {
          (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> StreemRoom? in
          guard let room = try await find(&transaction), room.state != .ended else { return nil }
          return end(room, isKept: isKept, in: &transaction, at: now)
        }
      } catch .store(.full) where isKept {
        // There is no room for another ended call.
        continue
      } catch {
        throw error.failure
      }
    }
    return nil
  }

  private func end(
    _ room: StreemRoom, isKept: Bool, in transaction: inout Transaction, at now: WallTime
  ) -> StreemRoom {
    var over = room
    over.state = .ended
    over.endedAt = now
    for connection in room.connections { transaction.delete(Self.places.key(connection.description)) }
    let key = Self.rooms.key(room.sid.text)
    let reference = Self.referenceKey(room)
    guard isKept else {
      transaction.delete(key)
      if let reference { transaction.delete(reference) }
      return over
    }
    let expires = keep(over, at: now, in: &transaction)
    if let reference { transaction.put(reference, StreemRoomPlace(room: room.sid), expires: expires) }
    return over
  }

  /// Stores a call that has ended. Returns until when.
  @discardableResult
  private func keep(_ room: StreemRoom, at now: WallTime, in transaction: inout Transaction) -> WallTime {
    let expires = (room.endedAt ?? now) + Self.endMemory
    transaction.put(
      Self.rooms.key(room.sid.text), room, expires: expires,
      in: [StoreCount("streem.ended", atMost: countMax, of: "calls that have ended")])
    return expires
  }

  private func put(_ room: StreemRoom, in transaction: inout Transaction) {
    transaction.put(
      Self.rooms.key(room.sid.text), room, in: [StoreCount("streem.rooms", atMost: countMax, of: "calls")])
  }

  private func checkFree(
    _ connection: ConnectionID, in transaction: inout Transaction
  ) async throws(StoreOr<GatewayError>) {
    guard try await transaction.get(Self.places.key(connection.description), as: StreemRoomPlace.self) == nil else {
      throw .failure(.invalidParameter.detailed("this connection is in a call already"))
    }
  }

  /// Returns the key of a call under its reference, latest first; nil for a call without one.
  private static func referenceKey(_ room: StreemRoom) -> StoreKey? {
    room.referenceID.map {
      references.key(room.company.text, $0.text, StreemDirectory.latestFirst(room.createdAt), room.sid.text)
    }
  }
}

/// The row that finds a call by a connection or a reference.
private struct StreemRoomPlace: StoreValue {
  var room: Name
}
