internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Adding, changing and removing members; deleting the call.

extension StreamCallRoutes {
  func updateMembers(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let wishes = try StreamCallWish.members(asked.body, "update_members")
    let removed = (try asked.body.strings("remove_members") ?? []).map { UserID($0) }
    let (rights, now, named) = (asked.rights, asked.now, wishes.map(\.user))
    // Users are not created for a call that does not exist or for a caller who may not change its members.
    let known = try await calls.known(asked.id, for: rights, with: named)
    if !wishes.isEmpty || removed.isEmpty { try rights.check(.updateCallMember, in: known) }
    let rolesBefore = try await roles(of: named)
    if known.givesRoles(wishes, to: rolesBefore) { try rights.check(.updateCallMemberRole, in: known) }
    try await makeUsers(named, for: asked.request)
    let roles = try await roles(of: named)
    let change = try await calls.change(asked.id, by: rights.user, with: removed + named, at: now) {
      (call) throws(GatewayError) in
      if !wishes.isEmpty { try rights.demand(.updateCallMember, in: call) }
      if !removed.isEmpty { try rights.demand(.removeCallMember, in: call) }
      if call.givesRoles(wishes, to: roles) { try rights.demand(.updateCallMemberRole, in: call) }
      for user in removed { call.members[user] = nil }
      call.put(wishes, at: now)
      call.updatedAt = now
    }
    let picture = try await calls.picture(of: change.after, members: StreamCallPicture.membersMax)
    return StreamAnswer(201) { json in
      json.name("members")
      picture.write(members: picture.members, to: &json, asked.family)
    }
  }

  /// Returns the application roles of those `users` who exist.
  private func roles(of users: [UserID]) async throws(StreamError) -> [UserID: Name] {
    try await rest.users(users).reduce(into: [:]) { $0[$1.id] = $1.role }
  }

  func delete(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    if try asked.body.bool("hard") ?? false, !asked.rights.isServer {
      throw .notAllowed("only a server may delete a call for good; leave out hard")
    }
    let removed: StreamCall?
    do throws(GatewayError) {
      let (rights, users) = (asked.rights, asked.rights.user.map { [$0] } ?? [])
      removed = try await calls.directory.turns.inTurn(of: asked.id) { () async throws(GatewayError) in
        guard let call = try await calls.directory.call(asked.id, with: users, at: asked.now) else { return nil }
        try rights.demand(.deleteCall, in: call)
        let removed = try await calls.directory.removeCall(asked.id, at: asked.now)
        if let removed { await calls.tell([.deleted], of: removed, at: asked.now) }
        return removed
      }
    } catch {
      throw StreamError(error)
    }
    guard let call = removed else { throw StreamCalls.missing(asked.id) }
    calls.letGo(call.present, of: call.id, .callEnded(.ended))
    let picture = try await calls.picture(of: call)
    return StreamAnswer(201) { json in
      json.name("call")
      picture.write(to: &json, asked.family)
    }
  }
}

extension StreamCall {
  /// Returns whether one of the changes gives a user a role that the user does not have yet.
  ///
  /// - Parameter roles: The users' roles in the application. A user who does not exist yet is not in it.
  fileprivate func givesRoles(_ wishes: [StreamCallWish.Member], to roles: [UserID: Name]) -> Bool {
    wishes.contains { wish in
      guard let role = wish.role.map(StreamRole.canonical) else { return false }
      if let own = members[wish.user]?.role { return role != StreamRole.canonical(own) }
      let usual = StreamGuestID.isGuest(wish.user) ? StreamRole.guest.name : StreamRole.user.name
      return role != StreamRole.member.name && role != StreamRole.canonical(roles[wish.user] ?? usual)
    }
  }
}

extension StreamCallRights {
  /// Does what ``check(_:in:)`` does, inside a change of the directory.
  func demand(_ capability: StreamCapability, in call: StreamCall) throws(GatewayError) {
    do throws(StreamError) {
      try check(capability, in: call)
    } catch {
      throw error.gatewayError
    }
  }

  /// Throws unless the user may change the settings at those paths. The maximum duration of a call has its own
  /// capability.
  func demandChange(of settings: [String: String], in call: StreamCall) throws(GatewayError) {
    let duration = "limits.max_duration_seconds"
    if settings[duration] != nil { try demand(.changeMaxDuration, in: call) }
    guard settings.count == 1, settings[duration] != nil else { return try demand(.updateCallSettings, in: call) }
  }
}
