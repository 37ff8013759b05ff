internal import GatewayCore
internal import GatewayJSON

// Roles and permissions.

extension StreamSetupRoutes {
  /// Roles that Stream has, of which nothing is granted here that others would not have.
  static let otherRoles: Set<Name> = [
    "channel_member", "channel_moderator", "global_admin", "global_moderator", "global_read_only",
  ]

  var roleRoutes: [HTTPRoute] {
    rest.resource("GET", .common("roles"), "ListRoles", .server) { request throws(StreamError) in
      let now = request.receivedAt
      let own = try await ask { () async throws(GatewayError) in try await setup.roles(at: now) }
      let scopes = try await scopes(at: now)
      let given = Self.otherRoles.union(StreamRole.allCases.map(\.name))
      let roles =
        given.map { (name: $0, isOwn: false, at: Self.dawn) }
        + own.map { (name: $0.name, isOwn: true, at: $0.createdAt) }
      return StreamAnswer(200) { json in
        json.name("roles")
        json.beginArray()
        for role in roles.sorted(by: { $0.name < $1.name }) {
          json.beginObject()
          Self.write(role.name, isOwn: role.isOwn, scopes[role.name] ?? [], role.at, to: &json, request.dates)
          json.endObject()
        }
        json.endArray()
      }
    }
      + rest.resource("POST", .common("roles"), "CreateRole", .server) { request throws(StreamError) in
        let name = Name(try request.body.requiredString("name", max: 64))
        guard name.text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !isGiven(role: name) else {
          throw .input("role \"\(name.text)\" is built in, or no name of a role", field: "name")
        }
        let role = try await ask { () async throws(GatewayError) in
          try await setup.makeRole(name, at: request.receivedAt)
        }
        return StreamAnswer(201) { json in
          json.member("role") { json in
            Self.write(role.name, isOwn: true, [], role.createdAt, to: &json, request.dates)
          }
        }
      }
      + rest.resource("DELETE", .common("roles/{name}"), "DeleteRole", .server) { request throws(StreamError) in
        let name = Name(request.parameters["name"])
        guard !isGiven(role: name) else { throw .input("role \"\(name.text)\" is built in", field: "name") }
        let wasThere = try await ask { () async throws(GatewayError) in
          try await setup.removeRole(name, at: request.receivedAt)
        }
        guard wasThere else { throw .doesNotExist("role \"\(name.text)\" does not exist") }
        return StreamAnswer(200)
      }
      + rest.resource("GET", .common("permissions"), "ListPermissions", .server) { _ throws(StreamError) in
        StreamAnswer(200) { json in
          json.name("permissions")
          json.beginArray()
          for id in StreamPermission.catalogue {
            for id in [id, id + StreamPermission.owner] {
              json.beginObject()
              StreamPermission(id).writeMembers(to: &json)
              json.endObject()
            }
          }
          json.endArray()
        }
      }
      + rest.resource("GET", .common("permissions/{id}"), "GetPermission", .server) { request throws(StreamError) in
        guard let permission = StreamPermission.known(request.parameters["id"]) else {
          throw .doesNotExist("there is no permission of that id")
        }
        return StreamAnswer(200) { $0.member("permission") { permission.writeMembers(to: &$0) } }
      }
  }

  private func isGiven(role: Name) -> Bool {
    Self.otherRoles.contains(role) || StreamRole.allCases.contains { $0.name == StreamRole.canonical(role) }
  }

  /// In which types of calls something is granted to each role.
  private func scopes(at now: WallTime) async throws(StreamError) -> [Name: [String]] {
    let said = try await ask { () async throws(GatewayError) in try await setup.types(at: now) }
    let definitions = Dictionary(said.map { (Name($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    let names = Set(definitions.keys).union((types ?? StreamCallPolicy.builtInTypes).map { Name($0) })
    var scopes: [Name: [String]] = [:]
    for name in names.sorted() {
      for (role, _) in StreamGrants(of: name.text, definitions[name]).listed {
        scopes[role, default: []].append("video:\(name.text)")
      }
    }
    return scopes
  }

  private static func write(
    _ name: Name, isOwn: Bool, _ scopes: [String], _ at: WallTime, to json: inout JSONWriter, _ dates: StreamDates
  ) {
    json.member("name", name.text)
    json.member("custom", isOwn)
    json.member("scopes", strings: scopes)
    json.member("created_at", at, dates)
    json.member("updated_at", at, dates)
  }
}

extension StreamPermission {
  /// The members of the object `Permission`.
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
