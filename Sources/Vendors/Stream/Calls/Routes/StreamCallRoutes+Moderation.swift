internal import GatewayCore
internal import GatewayJSON

// Actions of hosts on other users, and requests of users to hosts.

extension StreamCallRoutes {
  var moderationRoutes: [HTTPRoute] {
    resource("POST", "/block", "BlockUser") { asked throws(StreamError) in
      try await remove(asked, try Self.target(asked), needs: .blockUsers, blocks: true)
    }
      + resource("POST", "/unblock", "UnblockUser") { asked throws(StreamError) in
        let target = try Self.target(asked)
        let (rights, now) = (asked.rights, asked.now)
        _ = try await calls.change(
          asked.id, by: rights.user, at: now,
          also: { $0.before.blocked != $0.after.blocked ? [.unblocked(target)] : [] }
        ) { (call) throws(GatewayError) in
          try rights.demand(.blockUsers, in: call)
          call.blocked.removeAll { $0 == target }
        }
        return StreamAnswer(201)
      }
      + resource("POST", "/kick", "KickUser", acting: .member("kicked_by")) { asked throws(StreamError) in
        let blocks = try asked.body.bool("block") ?? false
        return try await remove(asked, try Self.target(asked), needs: .kickUser, blocks: blocks)
      }
      + resource("POST", "/mute_users", "MuteUsers", acting: .member("muted_by")) { asked throws(StreamError) in
        try await mute(asked)
      }
      + resource("POST", "/user_permissions", "UpdateUserPermissions") { asked throws(StreamError) in
        try await updatePermissions(asked)
      }
      + resource("POST", "/request_permission", "RequestPermission", acting: .user) { asked throws(StreamError) in
        let permissions = try Self.permissions(asked.body, "permissions")
        let user = try asked.actingUser().id
        let call = try await calls.known(asked.id, for: asked.rights)
        try asked.rights.check(.readCall, in: call)
        await calls.tell([.permissionRequest(permissions, by: user)], of: call, at: asked.now)
        return StreamAnswer(201)
      }
  }

  /// Reads the user that the action concerns.
  private static func target(_ asked: StreamCallRequest) throws(StreamError) -> UserID {
    try StreamUser.checkedID(asked.body.requiredString("user_id", max: UserID.lengthMax))
  }

  /// Removes the user from the call, and prevents them from returning if it `blocks`.
  private func remove(
    _ asked: StreamCallRequest, _ target: UserID, needs capability: StreamCapability, blocks: Bool
  ) async throws(StreamError) -> StreamAnswer {
    let (rights, now) = (asked.rights, asked.now)
    let kicked: [StreamCallEvent.Kind] = capability == .kickUser ? [.kicked(target, by: rights.user)] : []
    _ = try await calls.change(
      asked.id, by: rights.user, at: now,
      also: { kicked + ($0.before.blocked != $0.after.blocked ? [.blocked(target, by: rights.user)] : []) }
    ) { (call) throws(GatewayError) in
      try rights.demand(capability, in: call)
      if blocks {
        try rights.demand(.blockUsers, in: call)
        if !call.blocked.contains(target) { call.blocked.append(target) }
      }
      call.leave(at: now) { $0.user == target }
    }
    return StreamAnswer(201)
  }

  /// Announces that users are muted. The SFU does the muting.
  private func mute(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let named = try asked.body.strings("user_ids").map { $0.map { UserID($0) } }
    let everybody = try asked.body.bool("mute_all_users") ?? false
    for kind in ["audio", "video", "screenshare", "screenshare_audio"] { _ = try asked.body.bool(kind) }
    guard named != nil || everybody else {
      throw .input("either user_ids or mute_all_users must be given", field: "user_ids")
    }
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.muteUsers, in: call)
    let muter = asked.user?.id ?? call.createdBy
    var users = named ?? []
    if everybody {
      let present = (call.liveSession?.participants ?? []).map(\.user).filter { $0 != muter && $0 != .anonymous }
      users = Set(present).sorted()
    }
    if !users.isEmpty { await calls.tell([.muted(users, by: muter)], of: call, at: asked.now) }
    return StreamAnswer(201)
  }

  private func updatePermissions(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let target = try Self.target(asked)
    let granted = try Self.permissions(asked.body, "grant_permissions")
    let revoked = try Self.permissions(asked.body, "revoke_permissions")
    let (rights, now) = (asked.rights, asked.now)
    let user = try await rest.users([target]).first
    let targets = StreamCallRights(user: target, role: user?.role ?? StreamRole.user.name)
    _ = try await calls.change(
      asked.id, by: rights.user, with: [target], at: now,
      also: { [.permissions(targets.names(in: $0.after), of: target)] }
    ) { (call) throws(GatewayError) in
      try rights.demand(.updateCallPermissions, in: call)
      for name in granted { call.grants[target, default: [:]][name] = true }
      for name in revoked { call.grants[target, default: [:]][name] = false }
    }
    return StreamAnswer(201)
  }

  private static func permissions(_ body: StreamBody, _ name: String) throws(StreamError) -> [String] {
    let names = try body.strings(name) ?? []
    for text in names where StreamCapability(rawValue: text).map(StreamCapability.listed.contains) != true {
      throw body.wrong(name, "an array of capabilities, such as send-audio")
    }
    return names
  }
}
