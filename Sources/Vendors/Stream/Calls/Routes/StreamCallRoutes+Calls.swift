internal import GatewayCore
internal import GatewayJSON
import GatewayKit

// Creating, reading and changing calls.

extension StreamCallRoutes {
  var callRoutes: [HTTPRoute] {
    resource("POST", "", "GetOrCreateCall", .anonymous, acting: .creator, needsConnection: true) {
      asked throws(StreamError) in
      let wish = try StreamCallWish(asked.body)
      let got = try await getOrMake(asked, wish)
      return try await answer(asked, got.call, created: got.isNew, drawn: got.drawn, wish)
    }
      + resource("GET", "", "GetCall", .anonymous, needsConnection: true) { asked throws(StreamError) in
        let wish = try Self.wish(ofQuery: asked.request.http)
        let call = try await calls.known(asked.id, for: asked.rights)
        return try await answer(asked, call, created: nil, wish)
      }
      + resource("PATCH", "", "UpdateCall") { asked throws(StreamError) in try await update(asked) }
      + resource("POST", "/members", "UpdateCallMembers") { asked throws(StreamError) in
        try await updateMembers(asked)
      }
      + resource("POST", "/delete", "DeleteCall") { asked throws(StreamError) in try await delete(asked) }
  }

  /// Returns the call, and creates it if there is none; the caller becomes its creator. The caller's connection watches
  /// a new call. `drawn` is the call as its watchers were told of it.
  func getOrMake(
    _ asked: StreamCallRequest, _ wish: StreamCallWish
  ) async throws(StreamError) -> (call: StreamCall, isNew: Bool, drawn: StreamCallPicture?) {
    let members = wish.members.map(\.user)
    let found = try await calls.lookUp(asked.id, for: asked.rights, naming: members.filter { $0 != asked.user?.id })
    if let call = found.call {
      try await checkRing(asked, wish, call)
      return (call, false, nil)
    }
    let definition = try await definition(of: asked.id.type, found.definition, at: asked.now)
    try asked.rights.checkCreation(of: asked.id.type, definition)
    guard let creator = asked.user else {
      let message = "either data.created_by or data.created_by_id must be provided when using server side auth."
      throw .input(message, field: "data.created_by_id")
    }
    var call = StreamCall(id: asked.id, createdBy: creator.id, createdAt: asked.now)
    call.definition = definition
    call.put(wish.members, at: asked.now)
    call.custom = wish.custom ?? [:]
    call.settings = wish.settings ?? [:]
    call.startsAt = wish.startsAt
    call.team = wish.team
    call.isVideo = wish.isVideo ?? false
    call.isBackstage = StreamCallSettings(of: call).flag("backstage.enabled")
    try await checkRing(asked, wish, call)
    let known = found.users + [creator]
    try await makeUsers(members, knowing: known, for: asked.request)
    return try await calls.directory.turns.inTurn(of: asked.id) { () async throws(StreamError) in
      let made: (call: StreamCall, isNew: Bool)
      var drawn: StreamCallPicture?
      do throws(GatewayError) {
        made = try await calls.directory.makeCall(
          call, with: asked.rights.user.map { [$0] } ?? [], at: asked.now)
      } catch {
        throw StreamError(error)
      }
      if made.isNew {
        try await calls.watch(asked.id, by: asked.request.caller.connection)
        drawn = await calls.tell([.created], of: made.call, knowing: known, at: asked.now)
      }
      return (made.call, made.isNew, drawn)
    }
  }

  /// Returns the settings that servers have made for the type. Throws unless calls of the type may be created.
  private func definition(
    of type: String, _ found: StreamCallType?, at now: WallTime
  ) async throws(StreamError) -> StreamCallType? {
    guard found == nil, let types = calls.policy.types, !types.contains(type) else { return found }
    let setup = StreamSetup(calls.directory.store)
    do throws(GatewayError) {
      let there = try await types.union(setup.types(at: now).map(\.name)).sorted()
      throw .notFound.worded("call type \"\(type)\" does not exist; there are \(there.joined(separator: ", "))")
    } catch {
      throw StreamError(error)
    }
  }

  /// Returns the call as the caller sees it, subscribes the caller's connection to its events, and rings if the request
  /// asks for it.
  private func answer(
    _ asked: StreamCallRequest, _ call: StreamCall, created: Bool?, drawn: StreamCallPicture? = nil,
    _ wish: StreamCallWish
  ) async throws(StreamError) -> StreamAnswer {
    try asked.rights.check(.readCall, in: call)
    if created != true { try await calls.watch(asked.id, by: asked.request.caller.connection) }
    let picture: StreamCallPicture
    if let drawn, !wish.rings, !wish.notifies {
      picture = drawn.showing(first: wish.membersLimit)
    } else {
      picture = try await calls.picture(
        of: ring(asked, call, wish), members: wish.membersLimit, knowing: asked.user.map { [$0] } ?? [])
    }
    return StreamAnswer(created == nil ? 200 : 201) { json in
      if let created { json.member("created", created) }
      Self.writeState(picture, for: asked.rights, to: &json, asked.family)
    }
  }

  /// Reads the query of a GET.
  private static func wish(ofQuery http: HTTPRequest) throws(StreamError) -> StreamCallWish {
    var wish = try StreamCallWish(.empty)
    wish.rings = http.parameter("ring") == "true"
    wish.notifies = http.parameter("notify") == "true"
    wish.isVideo = http.parameter("video").map { $0 == "true" }
    if let text = http.parameter("members_limit") {
      guard let limit = Int(text), (0...StreamCallPicture.membersMax).contains(limit) else {
        throw .input(
          "field \"members_limit\" must be an integer of 0 to \(StreamCallPicture.membersMax)", field: "members_limit")
      }
      wish.membersLimit = limit
    }
    return wish
  }

  private func update(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let custom = try asked.body.custom("custom")
    let startsAt = try asked.body.date("starts_at")
    let settings = try asked.body.object("settings_override").map(StreamCallSettings.overrides)
    let (rights, now) = (asked.rights, asked.now)
    let change = try await calls.change(asked.id, by: rights.user, at: now, also: { _ in [.updated] }) {
      (call) throws(GatewayError) in
      try rights.demand(.updateCall, in: call)
      if let settings { try rights.demandChange(of: settings, in: call) }
      if let custom { call.custom = custom }
      if let startsAt { call.startsAt = startsAt }
      if let settings {
        let wasBackstage = StreamCallSettings(of: call).flag("backstage.enabled")
        call.settings.merge(settings) { $1 }
        let isBackstage = StreamCallSettings(of: call).flag("backstage.enabled")
        if wasBackstage != isBackstage { call.isBackstage = isBackstage }
      }
      call.updatedAt = now
    }
    let picture = try await calls.picture(of: change.after, members: StreamCallPicture.membersMax)
    return StreamAnswer(200) { json in
      Self.writeState(picture, for: rights, to: &json, asked.family)
    }
  }
}
