internal import GatewayCore
internal import GatewayTokens

// Coming into calls, leaving them, and what is said there.

extension StreamCallRoutes {
  var sessionRoutes: [HTTPRoute] {
    resource("POST", "/join", "JoinCall", .anonymous, acting: .user, needsConnection: true) {
      asked throws(StreamError) in
      try await join(asked)
    }
      // Not of Stream's: there a client leaves by what it tells the SFU.
      + resource("POST", "/leave", "LeaveCall", acting: .user, needsConnection: true) { asked throws(StreamError) in
        try await leave(asked)
      }
      + resource("POST", "/mark_ended", "EndCall") { asked throws(StreamError) in
        let (rights, now) = (asked.rights, asked.now)
        _ = try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
          try rights.demand(.endCall, in: call)
          call.endSession(at: now)
          if call.endedAt == nil { call.endedAt = now }
        }
        return StreamAnswer(201)
      }
      + resource("POST", "/go_live", "GoLive") { asked throws(StreamError) in try await setLive(asked, true) }
      + resource("POST", "/stop_live", "StopLive") { asked throws(StreamError) in try await setLive(asked, false) }
      + resource("POST", "/event", "SendCallEvent", acting: .user) { asked throws(StreamError) in
        let custom = try asked.body.custom("custom") ?? [:]
        let user = try asked.actingUser()
        let call = try await calls.known(asked.id)
        try asked.rights.check(.readCall, in: call)
        await calls.tell([.custom(custom, by: user.id)], of: call, at: asked.now)
        return StreamAnswer(201)
      }
      + resource("POST", "/reaction", "SendVideoReaction", acting: .user) { asked throws(StreamError) in
        try await react(asked)
      }
  }

  private func join(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    _ = try asked.body.requiredString("location", bytes: 255)
    let wish = try StreamCallWish(asked.body)
    let create = try asked.body.bool("create") ?? false
    _ = try asked.body.string("migrating_from", bytes: 255)
    _ = try asked.body.strings("migrating_from_list")
    let user = try asked.actingUser()
    let (known, isNew) = create ? try await getOrMake(asked, wish) : (try await calls.known(asked.id), false)
    let (rights, now, connection) = (asked.rights, asked.now, asked.request.caller.connection)
    try checkRing(asked, wish, known)
    try rights.checkJoin(known, user, at: now)
    // Watching comes first, so that the caller hears of their own coming, as at Stream.
    try await calls.watch(asked.id, by: connection)
    let stay = calls.policy.anonymousStay
    let change = try await calls.change(asked.id, by: user.id, at: now) { (call) throws(GatewayError) in
      do throws(StreamError) {
        try rights.checkJoin(call, user, at: now)
      } catch {
        throw error.gatewayError
      }
      call.join(user.id, role: call.member(user.id)?.role ?? user.role, on: connection, at: now, anonymousStay: stay)
    }
    if let connection, await calls.services.user(of: connection) != user.id {
      // It ended meanwhile, and what takes its user out of calls may have been here before the user was in.
      _ = try await calls.change(asked.id, by: user.id, at: now) { call in
        call.leave(at: now) { $0.connection == connection }
      }
      throw .connectionIDNotFound("the connection has ended")
    }
    let call = try await ring(asked, change.after, wish)
    let picture = await calls.picture(of: call)
    return StreamAnswer(201) { json in
      json.member("created", isNew)
      Self.writeState(picture, for: rights, membersLimit: wish.membersLimit, to: &json, asked.family)
      writeCredentials(to: &json)
      json.name("stats_options")
      json.raw(#"{"reporting_interval_ms":60000,"enable_rtc_stats":false}"#)
    }
  }

  private func writeCredentials(to json: inout JSONWriter) {
    let policy = calls.policy
    json.member("credentials") { json in
      json.member("server") { json in
        json.member("edge_name", policy.edgeName)
        json.member("url", policy.sfuURL)
        json.member("ws_endpoint", policy.sfuSocket)
      }
      // Good nowhere in the gateway: it is the SFU's to judge.
      json.member("token", AccessToken.mint().token)
      json.name("ice_servers")
      json.beginArray()
      json.beginObject()
      json.member("urls", strings: ["stun:127.0.0.1:3478"])
      json.member("username", "")
      json.member("password", "")
      json.endObject()
      json.endArray()
    }
  }

  private func leave(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let user = try asked.actingUser().id
    let (now, connection) = (asked.now, asked.request.caller.connection)
    _ = try await calls.change(asked.id, by: user, at: now) { call in
      call.leave(at: now) { $0.user == user && (connection == nil || $0.connection == connection) }
    }
    return StreamAnswer(201)
  }

  private func setLive(_ asked: StreamCallRequest, _ isLive: Bool) async throws(StreamError) -> StreamAnswer {
    let (rights, now) = (asked.rights, asked.now)
    let change = try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
      try rights.demand(.updateCall, in: call)
      call.isBackstage = !isLive
      call.updatedAt = now
      guard call.liveSession != nil else { return }
      if isLive {
        call.session?.liveStartedAt = now
        call.session?.liveEndedAt = nil
      } else if call.session?.liveStartedAt != nil {
        call.session?.liveEndedAt = now
      }
    }
    await calls.tell(isLive ? [.liveStarted, .updated] : [.updated], of: change.after, at: now)
    let picture = await calls.picture(of: change.after)
    return StreamAnswer(201) { json in
      json.name("call")
      picture.write(to: &json, asked.family)
    }
  }

  private func react(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let type = try asked.body.requiredString("type", bytes: 30)
    let emoji = try asked.body.string("emoji_code", bytes: 255)
    let custom = try asked.body.custom("custom") ?? [:]
    let user = try asked.actingUser()
    let call = try await calls.known(asked.id)
    try asked.rights.check(.createReaction, in: call)
    await calls.tell([.reaction(type: type, emoji: emoji, custom: custom, by: user.id)], of: call, at: asked.now)
    return StreamAnswer(201) { json in
      json.member("reaction") { json in
        StreamCallEvent.writeReaction(type, emoji, custom, user, to: &json, asked.family)
      }
    }
  }
}

extension StreamCallRights {
  /// Whether `user` may come into the call now.
  func checkJoin(_ call: StreamCall, _ user: StreamUser, at now: WallTime) throws(StreamError) {
    try check(.joinCall, in: call)
    if call.blocked.contains(user.id) { throw .notAllowed("User '\(user.id)' is blocked from the call") }
    if call.endedAt != nil { try check(.joinEndedCall, in: call) }
    let settings = StreamCallSettings(of: call)
    if call.isBackstage {
      let ahead = settings.number("backstage.join_ahead_time_seconds") ?? 0
      let opensAt = call.startsAt.map { $0 - .seconds(ahead) }
      if ahead == 0 || opensAt.map({ now < $0 }) ?? true { try check(.joinBackstage, in: call) }
    }
    if let most = settings.number("limits.max_participants"), most > 0 {
      let participants = call.liveSession?.participants ?? []
      let isIn = participants.contains { $0.user == user.id }
      if !isIn && participants.count >= most { throw .notAllowed("the call has its \(most) participants already") }
    }
  }
}
