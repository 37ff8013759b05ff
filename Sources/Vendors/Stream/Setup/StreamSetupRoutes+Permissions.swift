internal import GatewayCore
internal import GatewayJSON

// Permissions: the built-in ones, and the application's own.

extension StreamSetupRoutes {
  var permissionRoutes: [HTTPRoute] {
    rest.resource("GET", .common("permissions"), "ListPermissions", .server) { request throws(StreamError) in
      let own = try await ownPermissions(at: request.receivedAt)
      return StreamAnswer(200) { json in
        json.name("permissions")
        json.beginArray()
        for id in StreamPermission.catalogue {
          for id in [id, id + StreamPermission.owner] {
            json.beginObject()
            StreamPermission(id).writeMembers(to: &json)
            json.endObject()
          }
        }
        for permission in own {
          json.beginObject()
          permission.writeMembers(to: &json)
          json.endObject()
        }
        json.endArray()
      }
    }
      + rest.resource("POST", .common("permissions"), "CreatePermission", .server) { request throws(StreamError) in
        let id = Name(try request.body.requiredString("id", max: 255))
        guard id.text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), StreamPermission(id.text).capability == nil,
          StreamPermission.known(id.text) == nil
        else { throw .input("permission \"\(id.text)\" is built in, or no id of a permission", field: "id") }
        try await change(request, id) { (known) throws(GatewayError) in
          guard known == nil else {
            throw StreamError.input("permission \"\(id.text)\" exists already", field: "id").gatewayError
          }
        }
        return StreamAnswer(201)
      }
      + rest.resource("GET", .common("permissions/{id}"), "GetPermission", .server) { request throws(StreamError) in
        let id = request.parameters["id"]
        if let permission = StreamPermission.known(id) {
          return StreamAnswer(200) { $0.member("permission") { permission.writeMembers(to: &$0) } }
        }
        guard let own = try await ownPermissions(at: request.receivedAt).first(where: { $0.id == Name(id) }) else {
          throw Self.noPermission(id)
        }
        return StreamAnswer(200) { $0.member("permission") { own.writeMembers(to: &$0) } }
      }
      + rest.resource("PUT", .common("permissions/{id}"), "UpdatePermission", .server) { request throws(StreamError) in
        let id = request.parameters["id"]
        try Self.checkOwn(id)
        try await change(request, Name(id)) { (known) throws(GatewayError) in
          guard known != nil else { throw Self.noPermission(id).gatewayError }
        }
        return StreamAnswer(200)
      }
      + rest.resource("DELETE", .common("permissions/{id}"), "DeletePermission", .server) {
        request throws(StreamError) in
        let id = request.parameters["id"]
        try Self.checkOwn(id)
        try await ask { () async throws(GatewayError) in
          try await setup.changePermission(Name(id), at: request.receivedAt) { (known) throws(GatewayError) in
            guard known != nil else { throw Self.noPermission(id).gatewayError }
            return nil
          }
        }
        return StreamAnswer(200)
      }
  }

  private func ownPermissions(at now: WallTime) async throws(StreamError) -> [StreamOwnPermission] {
    try await ask { () async throws(GatewayError) in try await setup.permissions(at: now) }
  }

  private static func noPermission(_ id: String) -> StreamError {
    .doesNotExist("permission \"\(id)\" does not exist")
  }

  private static func checkOwn(_ id: String) throws(StreamError) {
    guard StreamPermission.known(id) == nil else { throw .input("permission \"\(id)\" is built in", field: "id") }
  }

  /// Replaces the permission by the one in the body, if `check` does not throw.
  private func change(
    _ request: StreamRequest, _ id: Name, _ check: (StreamOwnPermission?) throws(GatewayError) -> Void
  ) async throws(StreamError) {
    let body = request.body
    let action = try body.requiredString("action", max: 255)
    let isOwners = try body.bool("owner") ?? false
    let condition = try body.object("condition").map(\.view).flatMap { $0.members?.isEmpty != false ? nil : $0.text }
    guard (condition?.utf8.count ?? 0) <= 4096 else { throw body.wrong("condition", "an object of at most 4096 bytes") }
    // Conditions are not evaluated: no user has a permission with a condition.
    let wish = StreamOwnPermission(
      id: id, name: try body.requiredString("name", max: 255), action: action,
      about: try body.string("description", max: 1024) ?? "", isOwners: isOwners,
      isSameTeam: try body.bool("same_team") ?? false, condition: condition,
      meaning: condition == nil ? StreamPermission.id(of: action, isOwners: isOwners) : nil)
    try await ask { () async throws(GatewayError) in
      try await setup.changePermission(id, at: request.receivedAt) { (known) throws(GatewayError) in
        try check(known)
        return wish
      }
    }
  }
}

extension StreamPermission {
  /// Writes the members of the object `Permission`.
  fileprivate func writeMembers(to json: inout JSONWriter) {
    json.member("id", id)
    json.member("name", action)
    json.member("action", action)
    json.member("description", isOwners ? "\(action), in calls of one's own" : action)
    json.member("custom", false)
    json.member("level", "app")
    json.member("owner", isOwners)
    json.member("owner_resource", "")
    json.member("same_team", true)
    json.member("tags", strings: [])
  }
}

extension StreamOwnPermission {
  /// Writes the members of the object `Permission`.
  fileprivate func writeMembers(to json: inout JSONWriter) {
    json.member("id", id.text)
    json.member("name", name)
    json.member("action", action)
    json.member("description", about)
    json.member("custom", true)
    json.member("level", "app")
    json.member("owner", isOwners)
    json.member("owner_resource", "")
    json.member("same_team", isSameTeam)
    json.member("tags", strings: [])
    if let condition {
      json.name("condition")
      json.raw(condition)
    }
  }
}
