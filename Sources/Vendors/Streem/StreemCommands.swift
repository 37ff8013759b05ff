internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The `CommandHandler` of identified clients: calls of two, invitations and recent users. It also observes the ends of
/// connections, to notify the other user of a call.
struct StreemCommands: CommandHandler, ConnectionObserver {
  let directory: StreemDirectory
  let rooms: StreemRooms
  let inviting: StreemInviting
  let home: Name

  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    do throws(GatewayError) {
      guard let command = command.baggage.unpacked(StreemCommand.self) else { throw .unknownType }
      if case .tokenFailed(let isExpired) = command {
        if isExpired { await giveUp(caller, on: services) }
        return []
      }
      let user = try await user(caller, at: services.wallTime)
      switch command {
      case .start(let order): return try await start(try order.get(), user, caller, request, on: services)
      case .join(let order): return try await join(try order.get(), user, caller, request, on: services)
      case .leave(let sid): return try await leave(try sid.get(), user, caller, request, on: services)
      case .invite(let order): return await invite(order, user, request, at: services.wallTime)
      case .list(let onlyExperts): return try await list(try onlyExperts.get(), user, request, at: services.wallTime)
      case .tokenFailed: return []
      }
    } catch {
      return [StreemDialect.frame(StreemFailure(error), request)]
    }
  }

  nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    guard let room = await endCall(of: caller.connection, on: services) else { return }
    await tellEnd(of: room, "disconnected", except: caller.connection, on: services)
  }

  /// Ends the call that the connection is in, and returns it; nil if there is none. Waits while the store is
  /// unavailable, because no other code notifies the other user.
  private func endCall(of connection: ConnectionID, on services: any GatewayServices) async -> StreemRoom? {
    // A call that may have been ended already although the answer was lost.
    var asked: StreemRoom?
    let ended = await services.insist { () async throws(GatewayError) -> StreemRoom? in
      if let asked { return try await rooms.leave(connection, at: services.wallTime) ?? asked }
      guard var room = try await rooms.room(of: connection, at: services.wallTime) else { return nil }
      room.state = .ended
      asked = room
      return try await rooms.leave(connection, at: services.wallTime)
    }
    return ended ?? nil
  }

  /// Ends the calls that connections of `dead` lives are in, and notifies the other users.
  func endCalls(
    of dead: DeadBoots, at now: WallTime, on services: any GatewayServices
  ) async throws(GatewayError) {
    for sid in try await rooms.left(by: dead, at: now) {
      guard let room = try await rooms.end(sid, at: now) else { continue }
      await tellEnd(of: room, "disconnected", except: nil, on: services)
    }
  }

  private func user(_ caller: Caller, at now: WallTime) async throws(GatewayError) -> StreemUser {
    let name = StreemName(caller.user, home: home)
    guard let user = try await directory.user(company: name.company, externalID: name.externalID, at: now) else {
      throw .userUnknown
    }
    return user
  }

  /// Closes a client that has no new token. Called at the end of its session, not before: until then it may continue.
  private func giveUp(_ caller: Caller, on services: any GatewayServices) async {
    _ = await services.control(
      SessionFilter(user: caller.user, connections: [caller.connection]), .disconnect(.refreshTimeout))
  }

  // MARK: Calls

  private func start(
    _ order: StreemCallOrder, _ user: StreemUser, _ caller: Caller, _ request: RequestID?,
    on services: any GatewayServices
  ) async throws(GatewayError) -> [Frame] {
    // Users of other companies count as unknown.
    let now = services.wallTime
    guard let remote = try await directory.user(order.remote, at: now), remote.company == user.company,
      remote.id != user.id
    else {
      throw .userUnknown.detailed("remoteUserId must be the streemUserId of another user of the company")
    }
    // An invited customer may only call the inviting expert.
    guard user.invitedBy == nil || user.invitedBy == remote.id else {
      throw .notPermitted.detailed("an invited customer calls the expert of the invitation, and nobody else")
    }
    let remoteName = StreemName(remote).userID(home: home)
    guard await services.isConnected(remoteName) else { throw .notFound.detailed("the remote user is not connected") }
    let room = StreemRoom(
      sid: Name(StreemID.make("rm", from: inviting.secrets)), company: user.company, referenceID: order.reference,
      createdAt: now,
      caller: StreemRoom.Party(user: user, role: order.role, connection: caller.connection),
      callee: StreemRoom.Party(user: remote, role: order.remoteRole))
    try await rooms.start(room, by: caller.connection, at: now)
    services.announce(to: .users([remoteName]), Self.frame("incomingRemoteStream", room), in: StreemDialect.name)
    return [Self.frame("remoteStreamRinging", room, request)]
  }

  private func join(
    _ order: StreemJoinOrder, _ user: StreemUser, _ caller: Caller, _ request: RequestID?,
    on services: any GatewayServices
  ) async throws(GatewayError) -> [Frame] {
    let room = try await rooms.join(
      order.sid, user: user.id, role: order.role, by: caller.connection, at: services.wallTime)
    if let other = room.caller.connection {
      services.announce(to: .connection(other), Self.frame("remoteStreamStarted", room), in: StreemDialect.name)
    }
    return [Self.frame("remoteStreamStarted", room, request)]
  }

  private func leave(
    _ sid: Name, _ user: StreemUser, _ caller: Caller, _ request: RequestID?, on services: any GatewayServices
  ) async throws(GatewayError) -> [Frame] {
    let room = try await rooms.leave(sid, user: user.id, at: services.wallTime)
    await tellEnd(of: room, "left", except: caller.connection, on: services)
    return [Self.end(room, "left", request)]
  }

  /// Notifies the users who have joined, and the called user while the call still rings.
  private func tellEnd(
    of room: StreemRoom, _ cause: String, except: ConnectionID?, on services: any GatewayServices
  ) async {
    let frame = Self.end(room, cause)
    for connection in room.connections where connection != except {
      services.announce(to: .connection(connection), frame, in: StreemDialect.name)
    }
    guard room.callee.connection == nil else { return }
    let callee = StreemName(room.callee.user).userID(home: home)
    services.announce(to: .users([callee]), frame, in: StreemDialect.name)
  }

  private static func frame(_ type: String, _ room: StreemRoom, _ request: RequestID? = nil) -> Frame {
    StreemDialect.message(type, request) { json in json.member("room") { room.write(to: &$0) } }
  }

  private static func end(_ room: StreemRoom, _ cause: String, _ request: RequestID? = nil) -> Frame {
    StreemDialect.message("remoteStreamEnded", request) { json in
      json.member("cause", cause)
      json.member("room") { room.write(to: &$0) }
    }
  }

  // MARK: Invitations and lists

  private func invite(
    _ order: Result<StreemInvitationOrder, StreemFailure>, _ user: StreemUser, _ request: RequestID?, at now: WallTime
  ) async -> [Frame] {
    do throws(StreemFailure) {
      let made = try await inviting.create(try order.get(), by: user, at: now)
      return [StreemDialect.message("invitation", request) { made.write(to: &$0) }]
    } catch {
      return [StreemDialect.frame(error, request)]
    }
  }

  private func list(
    _ onlyExperts: Bool, _ user: StreemUser, _ request: RequestID?, at now: WallTime
  ) async throws(GatewayError) -> [Frame] {
    guard let company = try await directory.company(user.company, at: now) else { throw .companyUnknown }
    let users = try await directory.recentlyIdentified(
      company: company.code, onlyExperts: onlyExperts, limit: StreemRoutes.recentMax, at: now)
    return [
      StreemDialect.message("recentlyIdentifiedUsers", request) { $0.member("users", users, of: company) }
    ]
  }
}

extension JSONWriter {
  mutating func member(_ name: StaticString, _ users: [StreemUser], of company: StreemCompany) {
    self.name(name)
    beginArray()
    for user in users {
      beginObject()
      user.write(to: &self, company)
      endObject()
    }
    endArray()
  }
}
