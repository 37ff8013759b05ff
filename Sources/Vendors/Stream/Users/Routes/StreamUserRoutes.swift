internal import GatewayCore
internal import GatewayJSON

/// The routes of users, guests, and the settings of the application, e.g. `POST /users`.
struct StreamUserRoutes: Sendable {
  let rest: StreamRoutes
  let keeper: StreamGuestKeeper

  init(_ rest: StreamRoutes, guests keeper: StreamGuestKeeper) {
    self.rest = rest
    self.keeper = keeper
  }

  /// The maximum number of users that one request may change.
  static let usersMax = 100

  var routes: [HTTPRoute] { users + standing + blocks + bans + guests + preferences + application + exports }

  private var users: [HTTPRoute] {
    rest.resource("POST", .common("users"), "UpdateUsers", .user) { request throws(StreamError) in
      try await upsert(request)
    }
      + rest.resource("PATCH", .common("users"), "UpdateUsersPartial", .user) { request throws(StreamError) in
        try await patch(request)
      }
      + rest.resource("GET", .common("users"), "QueryUsers", .user) { request throws(StreamError) in
        try await query(request)
      }
  }

  /// Creates or replaces users. A server may do so with any, a user only with themselves.
  private func upsert(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    guard let members = try request.body.object("users")?.view.members, !members.isEmpty,
      members.count <= Self.usersMax
    else { throw .input("users must be an object of 1 to \(Self.usersMax) users", field: "users") }
    var changes: [(UserID, StreamUserChange)] = []
    for (name, value) in members {
      let body = try StreamBody(value, inside: "users.\(name)")
      let id = try StreamUser.checkedID(try body.requiredString("id"))
      guard id == UserID(name) else { throw body.wrong("id", "the name it stands under") }
      try Self.checkSelf(request.caller, id)
      let change = try StreamUserChange(
        body, isFlat: request.family.flattensCustom, mayNameRole: request.caller.isServer, isWhole: true)
      changes.append((id, change))
    }
    // All or nothing.
    try Self.checkKept(try await rest.users(changes.map(\.0)))
    var users: [StreamUser] = []
    for (id, change) in changes {
      users.append(
        try await rest.update(id, creates: true, at: request.receivedAt) { (user, _) throws(GatewayError) in
          try user.checkKept()
          try change.apply(to: &user)
        })
    }
    for user in users { await rest.tell(.updated, user, at: request.receivedAt) }
    return await answer(201, users, request.family)
  }

  /// Sets and unsets single members.
  private func patch(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    guard let elements = try request.body.array("users", count: Self.usersMax), !elements.isEmpty else {
      throw .input("users must be an array of 1 to \(Self.usersMax)", field: "users")
    }
    var patches: [(UserID, StreamUserPatch)] = []
    for element in elements {
      let body = try StreamBody(element, inside: "users")
      let id = try StreamUser.checkedID(try body.requiredString("id"))
      try Self.checkSelf(request.caller, id)
      patches.append((id, try StreamUserPatch(body, isServer: request.caller.isServer)))
    }
    // All or nothing: unknown users are found before any is changed.
    try Self.checkKept(try await known(patches.map(\.0)))
    var users: [StreamUser] = []
    for (id, patch) in patches {
      let user = try await rest.update(id, creates: false, at: request.receivedAt) {
        (user, _) throws(GatewayError) in
        try user.checkKept()
        try patch.apply(to: &user)
      }
      await rest.tell(.updated, user, at: request.receivedAt)
      if patch.revokes { await rest.enforceRevocation(of: user) }
      users.append(user)
    }
    return await answer(200, users, request.family)
  }

  /// Returns those users; throws if one does not exist.
  func known(_ ids: [UserID]) async throws(StreamError) -> [StreamUser] {
    let users = try await rest.users(ids)
    let known = Set(users.map(\.id))
    if let missing = ids.first(where: { !known.contains($0) }) {
      throw .doesNotExist("user with id \(missing) does not exist")
    }
    return users
  }

  /// Throws if one of the users was deleted.
  static func checkKept(_ users: [StreamUser]) throws(StreamError) {
    do throws(GatewayError) {
      for user in users { try user.checkKept() }
    } catch {
      throw StreamError(error)
    }
  }

  static func checkSelf(_ caller: StreamCaller, _ id: UserID) throws(StreamError) {
    guard caller.isServer || caller.user == id else { throw .notAllowed("a user may change only themselves") }
  }

  private func answer(_ status: Int, _ users: [StreamUser], _ family: StreamFamily) async -> StreamAnswer {
    let online = await rest.online(users)
    // If one request changes a user twice, the answer has one member for them, the last change.
    var last: [UserID: Int] = [:]
    for (place, user) in users.enumerated() { last[user.id] = place }
    let users = users.enumerated().filter { last[$0.element.id] == $0.offset }.map(\.element)
    return StreamAnswer(status) { json in
      json.member("users") { json in
        for user in users {
          json.name(user.id.rawValue)
          json.beginObject()
          user.writeFullMembers(to: &json, family, isOnline: online.contains(user.id))
          json.endObject()
        }
      }
      json.member("membership_deletion_task_id", "")
    }
  }

  /// Subscribes the connection to the users' presence; does nothing without a connection.
  private func watchPresence(of users: [StreamUser], by connection: ConnectionID?) async throws(StreamError) {
    guard let connection else { return }
    for topic in users.compactMap({ StreamUserEvent.topic(of: $0.id) }) {
      guard await rest.services.watch(topic, by: connection) else {
        throw StreamError(.tooMany.detailed("calls and users that one connection watches"))
      }
    }
  }

  /// Returns the users that a filter selects, in the requested order; users with equal values are ordered by id.
  private func query(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let payload = try request.payload()
    let filter = try payload.object("filter_conditions").map { (body) throws(StreamError) in
      try StreamFilter(body.view)
    }
    let limit = Int(try payload.integer("limit", in: 0...100) ?? 30)
    let offset = Int(try payload.integer("offset", in: 0...1000) ?? 0)
    // Any field can be used: custom members are beside the others.
    let order = try StreamOrder(payload, by: nil)
    let includesDeactivated = try payload.bool("include_deactivated_users") ?? false
    var users: [StreamUser]
    do throws(GatewayError) {
      users = try await rest.directory.users(
        where: { user in
          (includesDeactivated || user.deactivatedAt == nil) && user.deletedAt == nil
            && (filter?.holds(for: user.filterValue) ?? true)
        }, offset: order.isEmpty ? offset : 0, limit: order.isEmpty ? limit : .max, at: request.receivedAt)
      if !order.isEmpty {
        users.sort { order.precedes($0.filterValue, $1.filterValue) ?? ($0.id < $1.id) }
        users = Array(users.dropFirst(offset).prefix(limit))
      }
      users = try await rest.directory.withoutPastBans(users, at: request.receivedAt)
    } catch {
      throw StreamError(error)
    }
    if try payload.bool("presence") ?? false { try await watchPresence(of: users, by: request.caller.connection) }
    let online = await rest.online(users)
    return StreamAnswer(200) { json in
      json.member("users", objects: users) { user, json in
        user.writeFullMembers(to: &json, request.family, isOnline: online.contains(user.id))
      }
    }
  }
}
