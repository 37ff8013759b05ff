internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

// Joining and leaving calls; messages in calls.

extension StreamCallRoutes {
  var sessionRoutes: [HTTPRoute] {
    resource("POST", "/join", "JoinCall", .anonymous, acting: .user, needsConnection: true) {
      asked throws(StreamError) in
      try await join(asked)
    }
      // This route is not in Stream's API: Stream's clients leave by a message to the SFU.
      + resource("POST", "/leave", "LeaveCall", acting: .user, needsConnection: true) { asked throws(StreamError) in
        try await leave(asked)
      }
      + resource("POST", "/mark_ended", "EndCall") { asked throws(StreamError) in
        let (rights, now) = (asked.rights, asked.now)
        _ = try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
          try rights.demand(.endCall, in: call)
          call.endSession(at: now)
          call.egress?.stopAll()
          if call.endedAt == nil { call.endedAt = now }
        }
        return StreamAnswer(201)
      }
      + resource("POST", "/go_live", "GoLive") { asked throws(StreamError) in try await setLive(asked, true) }
      + resource("POST", "/stop_live", "StopLive") { asked throws(StreamError) in try await setLive(asked, false) }
      + resource("POST", "/event", "SendCallEvent", acting: .user) { asked throws(StreamError) in
        let custom = try asked.body.custom("custom") ?? [:]
        let user = try asked.actingUser()
        let call = try await calls.known(asked.id, for: asked.rights)
        try asked.rights.check(.sendEvent, in: call)
        await calls.tell([.custom(custom, by: user.id)], of: call, at: asked.now)
        return StreamAnswer(201)
      }
      + resource("POST", "/reaction", "SendVideoReaction", acting: .user) { asked throws(StreamError) in
        try await react(asked)
      }
  }

  private func join(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    _ = try asked.body.requiredString("location", max: 255)
    let wish = try StreamCallWish(asked.body)
    let create = try asked.body.bool("create") ?? false
    _ = try asked.body.string("migrating_from", max: 255)
    _ = try asked.body.strings("migrating_from_list")
    let user = try asked.actingUser()
    let known: StreamCall
    var isNew = false
    if create {
      let got = try await getOrMake(asked, wish)
      (known, isNew) = (got.call, got.isNew)
    } else {
      known = try await calls.known(asked.id, for: asked.rights)
    }
    let rights = asked.rights
    try await checkRing(asked, wish, known)
    try rights.checkJoin(known, user, at: asked.now)
    // Watching comes first, so that the caller receives their own join, as with Stream.
    if !isNew { try await calls.watch(asked.id, by: asked.request.caller.connection) }
    let place = try place(for: asked, user)
    let entered = calls.sfu == nil ? try await enter(asked, user) : known
    let call = try await ring(asked, entered, wish)
    let picture = try await calls.picture(of: call, members: wish.membersLimit)
    return StreamAnswer(201) { json in
      json.member("created", isNew)
      Self.writeState(picture, for: rights, to: &json, asked.family)
      writeCredentials(place, to: &json)
      json.name("stats_options")
      json.raw(#"{"reporting_interval_ms":60000,"enable_rtc_stats":false}"#)
    }
  }

  /// Adds the user to the call at once: an external SFU does not report who connects to it.
  private func enter(_ asked: StreamCallRequest, _ user: StreamUser) async throws(StreamError) -> StreamCall {
    let (rights, now, connection) = (asked.rights, asked.now, asked.request.caller.connection)
    let stay = calls.policy.anonymousStay
    let change = try await calls.change(asked.id, by: user.id, at: now) { (call) throws(GatewayError) in
      do throws(StreamError) {
        try rights.checkJoin(call, user, at: now)
      } catch {
        throw error.gatewayError
      }
      call.join(user.id, role: call.members[user.id]?.role ?? user.role, on: connection, at: now, anonymousStay: stay)
    }
    if let connection, await calls.services.user(of: connection) != user.id {
      // The connection has ended by now, and its removal from calls may have run before the user was added.
      await calls.leave(user.id, connection)
      throw .connectionIDNotFound("the connection has ended")
    }
    return change.after
  }

  /// Returns the address of the SFU for the user, and the token for it.
  private func place(
    for asked: StreamCallRequest, _ user: StreamUser
  ) throws(StreamError) -> (address: StreamSFUAddress, token: String) {
    guard let sfu = calls.sfu else {
      // The external SFU verifies the token; the gateway does not accept it anywhere.
      let address = StreamSFUAddress(url: calls.policy.sfuURL, socket: calls.policy.sfuSocket)
      return (address, AccessToken.mint(from: rest.secrets).token)
    }
    guard let address = sfu.address(for: asked.request.http) else {
      throw .input("the request's Host field names no host that the SFU's addresses could be made of")
    }
    let caller = asked.request.caller
    let kind: UserKind =
      switch caller.kind {
      case .anonymous: .anonymous
      case .guest: .guest
      case .user, .server: user.role == StreamRole.guest.name ? .guest : .regular
      }
    let role = asked.rights.callRole
    return (address, sfu.tokens.mint(user.id, kind, call: asked.id, role: role, at: asked.now))
  }

  private func writeCredentials(
    _ place: (address: StreamSFUAddress, token: String), to json: inout JSONWriter
  ) {
    json.member("credentials") { json in
      json.member("server") { json in
        json.member("edge_name", calls.policy.edgeName)
        json.member("url", place.address.url)
        json.member("ws_endpoint", place.address.socket)
      }
      json.member("token", place.token)
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
    // With the gateway's own SFU, participations do not belong to a coordinator connection: all of the user's
    // participations end.
    let leavesWholly = connection == nil || calls.sfu != nil
    _ = try await calls.change(asked.id, by: user, at: now, telling: .sessionEnded) { call in
      call.leave(at: now) { $0.user == user && (leavesWholly || $0.connection == connection) }
    }
    return StreamAnswer(201)
  }

  private func setLive(_ asked: StreamCallRequest, _ isLive: Bool) async throws(StreamError) -> StreamAnswer {
    let (rights, now) = (asked.rights, asked.now)
    let endsForViewers = !isLive && calls.sfu != nil
    let (address, wishes) = (address(asked), try Self.egressNamed(asked.body, isLive ? "start" : "continue"))
    let keepsBroadcasts = try asked.body.bool("continue_rtmp_broadcasts") ?? false
    let change = try await calls.change(
      asked.id, by: rights.user, at: now, telling: .liveEnded,
      also: { _ in isLive ? [.liveStarted, .updated] : [.updated] }
    ) { (call) throws(GatewayError) in
      try rights.demand(.updateCall, in: call)
      call.isBackstage = !isLive
      call.updatedAt = now
      if isLive {
        try call.start(wishes, by: rights, from: address, at: now)
      } else {
        call.egress?.stopAll(but: Set(wishes), keepsBroadcasts: keepsBroadcasts)
      }
      if endsForViewers { call.leaveBackstageToHosts(at: now) }
      guard call.liveSession != nil else { return }
      if isLive {
        call.session?.liveStartedAt = now
        call.session?.liveEndedAt = nil
      } else if call.session?.liveStartedAt != nil {
        call.session?.liveEndedAt = now
      }
    }
    let picture = try await calls.picture(of: change.after)
    return StreamAnswer(201) { json in
      json.name("call")
      picture.write(to: &json, asked.family)
    }
  }

  /// Reads what a `go_live` starts, or what a `stop_live` leaves running.
  private static func egressNamed(_ body: StreamBody, _ verb: String) throws(StreamError) -> [StreamEgress.Kind] {
    let names: [(String, StreamEgress.Kind)] = [
      ("hls", .hls), ("recording", .composite), ("composite_recording", .composite),
      ("individual_recording", .individual), ("raw_recording", .raw), ("transcription", .transcription),
      ("closed_caption", .captions),
    ]
    var kinds: [StreamEgress.Kind] = []
    for (name, kind) in names where try body.bool("\(verb)_\(name)") ?? false { kinds.append(kind) }
    return kinds
  }

  private func react(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let type = try asked.body.requiredString("type", max: 30)
    let emoji = try asked.body.string("emoji_code", max: 255)
    let custom = try asked.body.custom("custom") ?? [:]
    var user = try asked.actingUser()
    user.isOnline = await calls.services.isConnected(user.id)
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.createReaction, in: call)
    await calls.tell([.reaction(type: type, emoji: emoji, custom: custom, by: user.id)], of: call, at: asked.now)
    let seen = user
    return StreamAnswer(201) { json in
      json.member("reaction") { json in
        StreamCallEvent.writeReaction(type, emoji, custom, seen, to: &json, asked.family)
      }
    }
  }
}

extension StreamCallRights {
  /// Throws unless `user` may join the call now.
  func checkJoin(_ call: StreamCall, _ user: StreamUser, at now: WallTime) throws(StreamError) {
    try check(.joinCall, in: call)
    if call.blocked.contains(user.id) { throw .notAllowed("User '\(user.id)' is blocked from the call") }
    if call.endedAt != nil { try check(.joinEndedCall, in: call) }
    let settings = StreamCallSettings(of: call)
    if call.isBackstage {
      let ahead = settings.number("backstage.join_ahead_time_seconds") ?? 0
      let opensAt = call.startsAt.map { $0 - .seconds(ahead) }
      let isClosed = ahead == 0 || opensAt.map { now < $0 } ?? true
      if isClosed, !mayBeBackstage(in: call) { throw refusal(.joinBackstage, in: call.id.type) }
    }
    if let most = fullness(of: call, for: user) {
      throw .notAllowed("the call has its \(most) participants already")
    }
  }

  /// Returns the call's maximum number of participants if it is full and the user is not one of them; else nil.
  func fullness(of call: StreamCall, for user: StreamUser) -> Int64? {
    guard let most = StreamCallSettings(of: call).number("limits.max_participants"), most > 0 else { return nil }
    let isIn = call.present.contains { $0.user == user.id }
    return !isIn && call.present.count >= most ? most : nil
  }
}
