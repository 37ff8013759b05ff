internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Push tokens of users' devices. Nothing is pushed: the tokens are stored, listed and removed.

extension SendbirdUserRoutes {
  func pushRoutes(_ resource: SendbirdResource) -> [HTTPRoute] {
    let all = "/v3/users/{user_id}/push"
    let owned = "/v3/push/device_tokens/{token_type}/{token}"
    return [
      resource.route("POST", all + "/{token_type}") { request throws(SendbirdError) in try await register(request) },
      resource.route("GET", all + "/{token_type}") { request throws(SendbirdError) in try await tokens(request) },
      resource.route("GET", all + "/{token_type}/device_tokens") { request throws(SendbirdError) in
        try await tokens(request)
      },
      resource.route("DELETE", all + "/{token_type}/{token}") { request throws(SendbirdError) in
        try await unregister(request)
      },
      resource.route("DELETE", all) { request throws(SendbirdError) in try await unregisterAll(request) },
      resource.route("GET", owned) { request throws(SendbirdError) in try await owners(request) },
      resource.route("DELETE", owned) { request throws(SendbirdError) in try await disown(request) },
    ]
  }

  private func register(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (user, service, body) = (try await owner(request), try Self.service(request), try request.body)
    let name =
      switch service {
      case .gcm: "gcm_reg_token"
      case .apns: "apns_device_token"
      case .huawei: "huawei_device_token"
      }
    let token = try body.requiredString(name, max: SendbirdLimits.pushToken)
    let isUnique = try body.bool("is_unique") ?? false
    try await ask { () throws(GatewayError) in
      try await devices.register(token, service, of: user.id, isUnique: isUnique, at: services.wallTime)
    }
    return SendbirdResource.answer { json in
      json.member("token", token)
      json.member("type", service.rawValue.uppercased())
      Self.write(user, to: &json)
    }
  }

  private func tokens(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (user, service) = (try await owner(request), try Self.service(request))
    let tokens = try await ask { () throws(GatewayError) in
      try await devices.tokens(of: user.id, service, at: services.wallTime)
    }
    return SendbirdResource.answer { json in
      json.member("tokens", strings: tokens)
      // The name of the list where clients request it.
      json.member("device_tokens", strings: tokens)
      json.member("type", service.rawValue.uppercased())
      json.member("has_more", false)
      Self.write(user, to: &json)
    }
  }

  private func unregister(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (user, service) = (try await owner(request), try Self.service(request))
    let token = request.path["token"]
    // Removing a token twice is not an error.
    _ = try await ask { () throws(GatewayError) in
      try await devices.unregister(token, service, of: user.id, at: services.wallTime)
    }
    return SendbirdResource.answer { json in
      json.member("token", token)
      Self.write(user, to: &json)
    }
  }

  private func unregisterAll(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let user = try await owner(request)
    let gone = try await ask { () throws(GatewayError) in
      try await devices.unregisterAll(of: user.id, at: services.wallTime)
    }
    return SendbirdResource.answer { json in
      json.member("token", strings: gone)
      Self.write(user, to: &json)
    }
  }

  // MARK: Owners of a token

  private func owners(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let service = try Self.service(request)
    let users = try await ask { () throws(GatewayError) in
      try await devices.owners(of: request.path["token"], service, at: services.wallTime)
    }
    return Self.answer(users)
  }

  private func disown(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let (service, now) = (try Self.service(request), services.wallTime)
    let users = try await ask { () throws(GatewayError) in
      let users = try await devices.owners(of: request.path["token"], service, at: now)
      for user in users { _ = try await devices.unregister(request.path["token"], service, of: user, at: now) }
      return users
    }
    return Self.answer(users)
  }

  private static func answer(_ users: [UserID]) -> HTTPResponse {
    var json = JSONWriter(capacity: 128)
    json.beginArray()
    for user in users {
      json.beginObject()
      json.member("user_id", user.rawValue)
      json.endObject()
    }
    json.endArray()
    return HTTPResponse(status: 200, json: json.bytes)
  }

  // MARK: Shared parts

  private static func service(_ request: SendbirdRequest) throws(SendbirdError) -> SendbirdDevices.Service {
    guard let service = SendbirdDevices.Service(rawValue: request.path["token_type"].lowercased()) else {
      throw .invalid("token_type")
    }
    return service
  }

  private static func write(_ user: SendbirdUser, to json: inout JSONWriter) {
    json.member("device_token_last_deleted_at", 0)
    json.member("user") { json in
      json.members(of: user)
      json.member("is_active", user.isActive)
    }
  }

  /// Returns the user in the path, who must exist and be the caller, unless a server asks.
  func owner(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdUser {
    try request.needs(request.userInPath)
    return try await known(request.userInPath)
  }
}
