internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The routes of users: for servers by `Api-Token`, and some for clients.
struct SendbirdUserRoutes: Sendable {
  let services: any GatewayServices
  let directory: SendbirdDirectory
  let preferences: SendbirdPreferences
  let devices: SendbirdDevices
  let friends: SendbirdFriends
  private let storage: SendbirdStorage
  let lifecycle: SendbirdUserLifecycle
  /// The signer of session tokens.
  let signer: JWTSigner
  let secrets: Secrets
  private let resource: SendbirdResource
  /// The conversion for what is stored besides a user: devices and preferences.
  let ask = SendbirdQuestion(of: "User", "push tokens or preferences")
  let askOfFriends = SendbirdQuestion(of: "User", "friends")
  private let askOfUsers = SendbirdQuestion(of: "User", "users' data")
  private let askToMake = SendbirdQuestion(of: "User", "users")

  init(
    gate: SendbirdGate, services: any GatewayServices, directory: SendbirdDirectory,
    channels: SendbirdChannels, preferences: SendbirdPreferences, devices: SendbirdDevices, friends: SendbirdFriends,
    storage: SendbirdStorage, signer: JWTSigner,
    secrets: Secrets, rates: SendbirdRates? = nil
  ) {
    self.services = services
    self.directory = directory
    self.preferences = preferences
    self.devices = devices
    self.friends = friends
    self.storage = storage
    self.signer = signer
    self.secrets = secrets
    lifecycle = SendbirdUserLifecycle(
      services: services, channels: channels,
      events: SendbirdChannelEvents(directory: directory, channels: channels))
    resource = SendbirdResource(gate: gate, services: services, rates: rates)
  }

  var routes: [HTTPRoute] {
    [
      resource.route("POST", "/v3/users") { request throws(SendbirdError) in try await create(request) },
      resource.route("GET", "/v3/users") { request throws(SendbirdError) in try await list(request) },
      resource.route("GET", "/v3/users/{user_id}") { request throws(SendbirdError) in try await get(request) },
      resource.route("PUT", "/v3/users/{user_id}") { request throws(SendbirdError) in try await update(request) },
      resource.route("DELETE", "/v3/users/{user_id}") { request throws(SendbirdError) in try await delete(request) },
      resource.route("POST", "/v3/users/{user_id}/token") { request throws(SendbirdError) in
        try await issueToken(request)
      }.givingTokens,
      resource.route("DELETE", "/v3/users/{user_id}/token") { request throws(SendbirdError) in
        try await revokeTokens(request)
      },
    ] + metadataRoutes(resource) + pushRoutes(resource) + preferenceRoutes(resource) + friendRoutes(resource)
  }

  // MARK: Users

  private func create(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let body = try request.body
    let now = services.wallTime
    var user = SendbirdUser(try body.neededUser("user_id"), createdAt: now)
    guard user.id != .anonymous else { throw .invalid("user_id") }
    try SendbirdUserChange(body).apply(to: &user)
    let order = try SendbirdTokenOrder(body, at: now, secrets: secrets)
    order.apply(to: &user)
    if let image = try await storage.keep("profile_file", of: request, at: now) { user.profileURL = image.url }
    user = try await askToMake { [user] () throws(GatewayError) in
      try await directory.createUser(user, at: now)
    }
    return await answer(user, order, showsToken: true, at: now)
  }

  private func get(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await known(request.userInPath)
    let isOnline = await services.isConnected(user.id)
    return SendbirdResource.answer { json in
      SendbirdUserObject(user: user, isOnline: isOnline, showsToken: request.isServer).write(to: &json)
    }
  }

  private func list(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    var query = SendbirdUserQuery()
    query.ids = request.texts("user_ids").map { Set($0.map { UserID($0) }) }
    query.nickname = request.text("nickname")
    query.nicknamePrefix = request.text("nickname_startswith")
    switch request.text("active_mode") {
    case nil, "activated": query.activity = .activated
    case "deactivated": query.activity = .deactivated
    case "all": query.activity = .all
    default: throw .invalid("active_mode")
    }
    query.limit = try request.limit
    query.before = try request.pageToken
    let page: SendbirdUserPage
    do throws(GatewayError) {
      page = try await directory.users(query, at: services.wallTime)
    } catch {
      throw SendbirdError(error)
    }
    let online = await services.connected(of: page.users.map(\.id))
    let objects = page.users.map { user in
      SendbirdUserObject(user: user, isOnline: online.contains(user.id), showsToken: request.isServer)
    }
    return SendbirdResource.answer { json in
      json.member("users", objects: objects) { $0.write(to: &$1) }
      json.member("next", page.next.map(SendbirdPageToken.text) ?? "")
    }
  }

  private func update(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let id = request.userInPath
    try request.needs(id)
    try request.needsWriter()
    let body = try request.body
    let now = services.wallTime
    let change = try SendbirdUserChange(body)
    let order = try SendbirdTokenOrder(body, at: now, secrets: secrets)
    guard request.isServer || !(change.isForServersOnly || order.isAny) else { throw .notAuthorized }
    let before = try await known(id)
    let image = try await storage.keep("profile_file", of: request, at: now)
    let user = try await updated(id) { user in
      change.apply(to: &user)
      if let image { user.profileURL = image.url }
      order.apply(to: &user)
    }
    if order.accessToken != nil && before.accessToken != nil { await lifecycle.accessTokenReplaced(id) }
    if change.isActive == false {
      try await lifecycle.deactivated(id, leaves: try body.bool("leave_all_when_deactivated") ?? true)
    }
    return await answer(user, order, showsToken: request.isServer, at: now)
  }

  private func delete(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    try await askOfUsers { () throws(GatewayError) in
      try await directory.deleteUser(request.userInPath, at: services.wallTime)
      // A user who is created later with that id inherits nothing.
      try await preferences.forget(request.userInPath, at: services.wallTime)
      try await friends.forget(request.userInPath, at: services.wallTime)
      _ = try await devices.unregisterAll(of: request.userInPath, at: services.wallTime)
    }
    try await lifecycle.deleted(request.userInPath)
    return SendbirdResource.answer()
  }

  // MARK: Shared parts

  func known(_ id: UserID) async throws(SendbirdError) -> SendbirdUser {
    guard let user = try await directory.find(id, at: services.wallTime) else { throw .notFound("User") }
    return user
  }

  func updated(
    _ id: UserID, _ change: @escaping @Sendable (inout SendbirdUser) -> Void
  ) async throws(SendbirdError) -> SendbirdUser {
    try await askOfUsers { () throws(GatewayError) in
      try await directory.updateUser(id, at: services.wallTime, change)
    }
  }

  private func answer(
    _ user: SendbirdUser, _ order: SendbirdTokenOrder, showsToken: Bool, at now: WallTime
  ) async -> HTTPResponse {
    let isOnline = await services.isConnected(user.id)
    let tokens = order.sessionTokenEnd.map { [(sessionToken(for: user, until: $0, at: now), $0)] } ?? []
    return SendbirdResource.answer { json in
      SendbirdUserObject(user: user, isOnline: isOnline, sessionTokens: tokens, showsToken: showsToken).write(to: &json)
    }
  }
}
