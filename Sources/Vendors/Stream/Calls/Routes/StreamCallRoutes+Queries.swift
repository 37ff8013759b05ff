internal import GatewayCore
internal import GatewayJSON

// Queries for calls and members.

extension StreamCallRoutes {
  /// The maximum number of calls in one answer, and the number of calls in an answer without a `limit`. After a
  /// reconnect JavaScript asks without a limit for the calls it watches, and receives no events of calls that did not
  /// fit.
  private static let callsMax = 100
  /// The maximum number of members in a filter: each member's calls are looked up.
  private static let membersNamedMax = 1000

  var queryRoutes: [HTTPRoute] {
    rest.resource("POST", .video("calls"), "QueryCalls", .anonymous) { request throws(StreamError) in
      try await queryCalls(request)
    }
      + rest.resource("POST", .video("call/members"), "QueryCallMembers", .anonymous) { request throws(StreamError) in
        try await queryMembers(request)
      }
  }

  private func queryCalls(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let filter = try StreamFilter(of: request.body, fields: StreamCall.filterFields)
    let order = try StreamOrder(
      request.body, by: StreamCall.sortFields, usual: [(name: "created_at", isDescending: true)])
    let page = try StreamPage<StreamCallPlace>(request.body, limitMax: Self.callsMax)
    let watches = try request.body.bool("watch") ?? false
    if watches { try Self.checkConnection(request) }
    if watches && request.caller.connection == nil {
      throw .input("watch needs a connection_id in the query", field: "watch")
    }
    let rights = StreamCallRights(request.caller, as: try await asker(request, .user))
    let opened = request.caller.calls.map(Set.init)
    let named = filter.texts(of: "members")
    guard named.count <= Self.membersNamedMax else {
      throw StreamFilter.malformed("at most \(Self.membersNamedMax) members")
    }
    let users = Set(named.map { UserID($0.text) } + (rights.user.map { [$0] } ?? []))
    let found: [StreamCall]
    do throws(GatewayError) {
      found = try await calls.directory.calls(
        with: users.sorted(),
        where: { call in
          (opened?.contains(call.id) ?? true) && filter.holds(for: call.filterValue)
            && rights.capabilities(in: call).contains(.readCall)
        }, by: { StreamCallPlace($0).precedes(StreamCallPlace($1), in: order) }, at: request.receivedAt)
    } catch {
      throw StreamError(error)
    }
    let (rows, cursors) = page.cut(found, at: StreamCallPlace.init) { $0.precedes($1, in: order) }
    var pictures: [StreamCallPicture] = []
    for call in rows {
      if watches { try await calls.watch(call.id, by: request.caller.connection) }
      pictures.append(try await calls.picture(of: call, members: StreamCallPicture.membersMax))
    }
    let shown = pictures
    return StreamAnswer(201) { json in
      json.member("calls", objects: shown) { picture, json in
        Self.writeState(picture, for: rights, to: &json, request.family)
      }
      cursors.write(to: &json)
    }
  }

  private func queryMembers(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let id = try Self.callID(request.body.requiredString("type"), request.body.requiredString("id"))
    try request.caller.check(id)
    let page = try StreamPage<StreamMemberPlace>(request.body, limitMax: StreamCallPicture.membersMax)
    let order = try StreamOrder(request.body, by: StreamCallMember.sortFields)
    let filter = try StreamFilter(of: request.body, fields: StreamCallMember.filterFields)
    let rights = StreamCallRights(request.caller, as: try await asker(request, .user))
    let call = try await calls.known(id, for: rights)
    try rights.check(.readCall, in: call)
    let cursors: StreamCursors
    let picture: StreamCallPicture
    do throws(GatewayError) {
      let meant = try await calls.directory.membersPlaced(of: call, at: request.receivedAt) {
        filter.holds(for: $0.filterValue)
      }.sorted { StreamMemberPlace($0).precedes(StreamMemberPlace($1), in: order) }
      let shown = page.cut(meant, at: StreamMemberPlace.init) { $0.precedes($1, in: order) }
      cursors = shown.cursors
      picture = try await calls.draw(call, members: shown.rows.map(\.member), with: [])
    } catch {
      throw StreamError(error)
    }
    return StreamAnswer(201) { json in
      json.name("members")
      picture.write(members: picture.members, to: &json, request.family)
      cursors.write(to: &json)
    }
  }
}
