package import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Does what identified clients ask for: calls of two, invitations, the list of recent users. Hears of connections that
/// end, so that the other one of a call is told.
package struct StreemOperations: OperationHandler, ConnectionObserver {
  let directory: any StreemDirectory
  let rooms: StreemRooms
  let inviting: StreemInviting
  let home: Name

  package nonisolated(nonsending) func perform(
    _ operation: DialectOperation, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    do throws(GatewayError) {
      guard let name = StreemOperation(rawValue: operation.name) else { throw .unknownType }
      if name == .tokenFailed {
        await giveUp(operation, caller, on: services)
        return []
      }
      let user = try await user(caller)
      let body = operation.body
      switch name {
      case .startRemoteStream: return try await start(body, user, caller, request, on: services)
      case .joinRemoteStream: return try await join(body, user, caller, request, on: services)
      case .leaveRemoteStream: return try await leave(body, user, caller, request, on: services)
      case .createInvitation: return await invite(body, user, request, at: services.wallTime)
      case .getRecentlyIdentifiedUsers: return try await list(body, user, request)
      case .tokenFailed: return []
      }
    } catch {
      return [StreemDialect.frame(StreemFailure(error), request)]
    }
  }

  package nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    guard let room = await rooms.leave(caller.connection) else { return }
    await tellEnd(of: room, "disconnected", except: caller.connection, on: services)
  }

  private func user(_ caller: Caller) async throws(GatewayError) -> StreemUser {
    let name = StreemName(caller.user, home: home)
    guard let user = await directory.user(company: name.company, externalID: name.externalID) else {
      throw .userUnknown
    }
    return user
  }

  /// A client without a new token is let go at the end of its session, not before: nothing better will come.
  private func giveUp(_ operation: DialectOperation, _ caller: Caller, on services: any GatewayServices) async {
    guard operation.body == StreemOperation.expired else { return }
    _ = await services.control(
      SessionFilter(user: caller.user, connections: [caller.connection]), .disconnect(.refreshTimeout))
  }

  // MARK: Calls

  private func start(
    _ body: String, _ user: StreemUser, _ caller: Caller, _ request: RequestID?, on services: any GatewayServices
  ) async throws(GatewayError) -> [Frame] {
    let order = try Self.read(body) { (body) throws(GatewayError) in
      (
        role: try Self.role(body, "role"), remoteRole: try Self.role(body, "remoteRole"),
        remote: try body.text("remoteUserId").map { Name($0) },
        reference: try body.text("referenceId").map { Name($0) }
      )
    }
    guard let role = order.role, let id = order.remote else {
      throw .invalidParameter.detailed("role and remoteUserId are needed")
    }
    let remoteRole = order.remoteRole ?? role.counterpart
    guard remoteRole.isPro != role.isPro else {
      throw .invalidParameter.detailed("one of the two roles must be a customer's, the other a pro's")
    }
    // A user of another company is as unknown as none.
    guard let remote = await directory.user(id), remote.company == user.company, remote.id != user.id else {
      throw .userUnknown.detailed("remoteUserId must be the streemUserId of another user of the company")
    }
    // An invitation is for a call of two: whoever else is there, and whatever they are called.
    guard user.invitedBy == nil || user.invitedBy == remote.id else {
      throw .notPermitted.detailed("an invited customer calls the expert of the invitation, and nobody else")
    }
    let remoteName = StreemName(remote).userID(home: home)
    guard await services.isConnected(remoteName) else { throw .notFound.detailed("the remote user is not connected") }
    let room = StreemRoom(
      sid: Name(StreemID.make("rm")), company: user.company, referenceID: order.reference, createdAt: services.wallTime,
      caller: StreemRoom.Party(user: user, role: role, connection: caller.connection),
      callee: StreemRoom.Party(user: remote, role: remoteRole))
    try await rooms.start(room, by: caller.connection)
    services.announce(to: .users([remoteName]), Self.frame("incomingRemoteStream", room), in: StreemDialect.name)
    return [Self.frame("remoteStreamRinging", room, request)]
  }

  private func join(
    _ body: String, _ user: StreemUser, _ caller: Caller, _ request: RequestID?, on services: any GatewayServices
  ) async throws(GatewayError) -> [Frame] {
    let (sid, role) = try Self.read(body) { (body) throws(GatewayError) in
      (try Self.roomSID(body), try Self.role(body, "role"))
    }
    let room = try await rooms.join(sid, user: user.id, role: role, by: caller.connection)
    if let other = room.caller.connection {
      services.announce(to: .connection(other), Self.frame("remoteStreamStarted", room), in: StreemDialect.name)
    }
    return [Self.frame("remoteStreamStarted", room, request)]
  }

  private func leave(
    _ body: String, _ user: StreemUser, _ caller: Caller, _ request: RequestID?, on services: any GatewayServices
  ) async throws(GatewayError) -> [Frame] {
    let sid = try Self.read(body) { (body) throws(GatewayError) in try Self.roomSID(body) }
    let room = try await rooms.leave(sid, user: user.id)
    await tellEnd(of: room, "left", except: caller.connection, on: services)
    return [Self.end(room, "left", request)]
  }

  /// Tells those of the two that are there, and the callee wherever it still rings.
  private func tellEnd(
    of room: StreemRoom, _ cause: String, except: ConnectionID, on services: any GatewayServices
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
    _ body: String, _ user: StreemUser, _ request: RequestID?, at now: WallTime
  ) async -> [Frame] {
    do throws(StreemFailure) {
      let order = try StreemInvitationOrder(bytes: Array(body.utf8))
      let made = try await inviting.create(order, by: user, at: now)
      return [StreemDialect.message("invitation", request) { made.write(to: &$0) }]
    } catch {
      return [StreemDialect.frame(error, request)]
    }
  }

  private func list(_ body: String, _ user: StreemUser, _ request: RequestID?) async throws(GatewayError) -> [Frame] {
    let onlyExperts = try Self.read(body) { (body) throws(GatewayError) in try body.truth("onlyExperts") ?? false }
    guard let company = await directory.company(user.company) else { throw .companyUnknown }
    let users = await directory.recentlyIdentified(
      company: company.code, onlyExperts: onlyExperts, limit: StreemRoutes.recentMax)
    return [
      StreemDialect.message("recentlyIdentifiedUsers", request) { $0.member("users", users, of: company) }
    ]
  }

  // MARK: Reading

  private static func read<Content>(
    _ body: String, _ read: (JSONObject) throws(GatewayError) -> Content
  ) throws(GatewayError) -> Content {
    try StreemRoutes.read(Array(body.utf8), read)
  }

  private static func role(_ body: JSONObject, _ name: StaticString) throws(GatewayError) -> StreemRole? {
    guard let text = try body.text(name) else { return nil }
    guard let role = StreemRole(rawValue: text) else {
      let roles = StreemRole.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalidParameter.detailed("\(name) must be one of \(roles)")
    }
    return role
  }

  private static func roomSID(_ body: JSONObject) throws(GatewayError) -> Name {
    guard let sid = try body.text("roomSid").map({ Name($0) }) else {
      throw .invalidParameter.detailed("roomSid is missing")
    }
    return sid
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
