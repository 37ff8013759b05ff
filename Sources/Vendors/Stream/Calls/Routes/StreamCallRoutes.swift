internal import GatewayCore
internal import GatewayJSON

/// The routes of the coordinator's calls, in both path families, e.g. `POST /video/call/{type}/{id}`.
struct StreamCallRoutes: Sendable {
  let rest: StreamRoutes
  let calls: StreamCalls
  let ringer: StreamCallRinger

  var routes: [HTTPRoute] {
    callRoutes + sessionRoutes + ringRoutes + moderationRoutes + queryRoutes + deviceRoutes + placeRoutes
      + egressRoutes + fileRoutes + participantRoutes + statisticsRoutes
  }

  typealias CallWork =
    nonisolated(nonsending) @Sendable (StreamCallRequest) async throws(StreamError) -> StreamAnswer

  /// Returns the routes of a resource of one call: `/video/call/{type}/{id}` followed by `path`.
  ///
  /// - Parameters:
  ///   - acting: The place where a server names the user it acts for.
  ///   - needsConnection: Whether the resource uses a `connection_id`. While its socket is down, JavaScript sends the
  ///     last id with all its requests.
  func resource(
    _ method: String, _ path: String, _ operation: String, _ access: StreamRoutes.Access = .user,
    acting: StreamActing = .nobody, needsConnection: Bool = false,
    _ work: @escaping CallWork
  ) -> [HTTPRoute] {
    rest.resource(method, .video("call/{type}/{id}\(path)"), operation, access) { request throws(StreamError) in
      let id = try Self.callID(request.parameters["type"], request.parameters["id"])
      try request.caller.check(id)
      if needsConnection { try Self.checkConnection(request) }
      let user = try await asker(request, acting)
      return try await work(
        StreamCallRequest(request: request, id: id, user: user, rights: StreamCallRights(request.caller, as: user)))
    }
  }

  /// Returns the id of the call with that type and id.
  static func callID(_ type: String, _ id: String) throws(StreamError) -> CallID {
    guard let call = CallID(cid: "\(type):\(id)") else {
      throw StreamError(
        code: 4, status: 400,
        "type and id of a call must be of letters, digits, _, - and !, \(CallID.lengthMax - 1) bytes together at most",
        fields: [HTTPField("id", "letters, digits, _, - and ! only")])
    }
    return call
  }

  /// Throws if the `connection_id` does not belong to a connection of the caller.
  static func checkConnection(_ request: StreamRequest) throws(StreamError) {
    guard let text = request.http.parameter("connection_id"), !text.isEmpty else { return }
    guard request.caller.connection != nil else {
      throw .connectionIDNotFound("connection_id not found: connect first, and send the id of that very connection")
    }
  }

  /// Returns the user of the request: the caller, or the user that a server names, who is created if unknown.
  func asker(_ request: StreamRequest, _ acting: StreamActing) async throws(StreamError) -> StreamUser? {
    if request.caller.kind == .anonymous {
      return StreamUser(.anonymous, role: StreamRole.anonymous.name, createdAt: request.receivedAt)
    }
    if let user = request.caller.record { return user }
    if let user = request.caller.user { return try await rest.user(user, at: request.receivedAt) }
    guard let named = try Self.named(request, acting) else { return nil }
    try await makeUsers([named], for: request)
    return try await rest.user(named, at: request.receivedAt)
  }

  /// Returns the user that a server names, if any.
  private static func named(_ request: StreamRequest, _ acting: StreamActing) throws(StreamError) -> UserID? {
    switch acting {
    case .nobody:
      return nil
    case .user:
      let isNamed = request.http.parameter("user_id") != nil || request.body.has("user_id") || request.body.has("user")
      return isNamed ? try request.actingUser() : nil
    case .member(let name):
      return try named(request.body, name)
    case .creator:
      guard let data = try request.body.object("data") else { return nil }
      return try named(data, "created_by")
    }
  }

  private static func named(_ body: StreamBody, _ name: String) throws(StreamError) -> UserID? {
    if let id = try body.string("\(name)_id") { return try StreamUser.checkedID(id) }
    return try body.object(name).map { (user) throws(StreamError) in
      try StreamUser.checkedID(user.requiredString("id"))
    }
  }

  /// Creates the users who do not exist yet, if the policy allows it. Requests of guests create no users, since anyone
  /// can be a guest.
  func makeUsers(_ ids: [UserID], for request: StreamRequest) async throws(StreamError) {
    guard !ids.isEmpty else { return }
    try await makeUsers(ids, knowing: rest.users(ids), for: request)
  }

  /// Creates the users who are not among `known`, if the policy allows it.
  func makeUsers(
    _ ids: [UserID], knowing known: [StreamUser], for request: StreamRequest
  ) async throws(StreamError) {
    let known = Set(known.map(\.id))
    let missing = ids.filter { !known.contains($0) }
    guard missing.isEmpty || (calls.policy.makesUnknownUsers && request.caller.kind != .guest) else {
      let names = missing.map(\.rawValue).joined(separator: ", ")
      throw .input("users who do not exist are named: \(names); create them before the call", field: "members")
    }
    for id in missing { _ = try await rest.user(id, at: request.receivedAt) }
  }

  /// Writes the members that answers about a call share: `call`, `members`, `membership` and `own_capabilities`.
  static func writeState(
    _ picture: StreamCallPicture, for rights: StreamCallRights, to json: inout JSONWriter, _ family: StreamFamily
  ) {
    json.name("call")
    picture.write(to: &json, family)
    json.name("members")
    picture.write(members: picture.members, to: &json, family)
    if let user = rights.user, let member = picture.call.members[user] {
      json.name("membership")
      picture.write(member, to: &json, family)
    }
    json.member("own_capabilities", strings: rights.names(in: picture.call))
  }
}
