internal import GatewayCore

/// The calls of one gateway: those that go on, and the last that have ended.
package actor StreemRooms {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  /// The most calls kept; those that have ended make room.
  private let countMax: Int
  private var rooms: [Name: StreemRoom] = [:]
  /// The ended ones in the order in which they ended.
  private var ended: [Name] = []
  /// Which call a connection is in.
  private var places: [ConnectionID: Name] = [:]

  package init(on executor: any SerialExecutor, countMax: Int = 100_000) {
    self.executor = executor
    self.countMax = countMax
  }

  /// Begins a call. Throws if the caller's connection is in one already, or there are too many.
  func start(_ room: StreemRoom, by connection: ConnectionID) throws(GatewayError) {
    try checkFree(connection)
    if rooms.count >= countMax, let oldest = ended.first {
      ended.removeFirst()
      rooms[oldest] = nil
    }
    guard rooms.count < countMax else { throw .tooMany.detailed("\(countMax) calls") }
    rooms[room.sid] = room
    places[connection] = room.sid
  }

  /// The callee comes. Throws unless the call rings for `user`, and the roles make a customer and a pro.
  func join(
    _ sid: Name, user: Name, role: StreemRole?, by connection: ConnectionID
  ) throws(GatewayError) -> StreemRoom {
    guard var room = rooms[sid], room.state == .ringing, room.callee.user.id == user else {
      throw .notFound.detailed("no call of this roomSid rings for this user")
    }
    try checkFree(connection)
    if let role {
      guard role.isPro != room.caller.role.isPro else {
        throw .invalidParameter.detailed("one of the two roles must be a customer's, the other a pro's")
      }
      room.callee.role = role
    }
    room.callee.connection = connection
    room.state = .live
    rooms[sid] = room
    places[connection] = sid
    return room
  }

  /// Ends a call for both, at the wish of one of the two. Throws if `user` is not one of them, or it has ended.
  func leave(_ sid: Name, user: Name) throws(GatewayError) -> StreemRoom {
    guard let room = rooms[sid], room.state != .ended, [room.caller.user.id, room.callee.user.id].contains(user)
    else { throw .notFound.detailed("this user is in no call of this roomSid") }
    return end(room)
  }

  /// Ends the call that the connection is in; nil if it is in none.
  func leave(_ connection: ConnectionID) -> StreemRoom? {
    places[connection].flatMap { rooms[$0] }.map { end($0) }
  }

  /// The company's calls with that reference, the latest first.
  func rooms(of company: Name, referenceID: Name, limit: Int) -> [StreemRoom] {
    let wanted = rooms.values.filter { $0.company == company && $0.referenceID == referenceID }
    return Array(wanted.sorted { ($1.createdAt, $0.sid) < ($0.createdAt, $1.sid) }.prefix(limit))
  }

  private func checkFree(_ connection: ConnectionID) throws(GatewayError) {
    guard places[connection] == nil else { throw .invalidParameter.detailed("this connection is in a call already") }
  }

  /// The call as it was, so that those who were in it can be told.
  private func end(_ room: StreemRoom) -> StreemRoom {
    for connection in room.connections { places[connection] = nil }
    var over = room
    over.state = .ended
    rooms[room.sid] = over
    ended.append(room.sid)
    return over
  }
}
