internal import GatewayCore
internal import GatewayJSON

// Roles.

extension StreamSetupRoutes {
  /// Stream's roles that have no grants of their own here.
  static let otherRoles: Set<Name> = [
    "channel_member", "channel_moderator", "global_admin", "global_moderator", "global_read_only",
  ]

  var roleRoutes: [HTTPRoute] {
    rest.resource("GET", .common("roles"), "ListRoles", .server) { request throws(StreamError) in
      try await answer(request, listed(at: request.receivedAt))
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
      + rest.resource("GET", .common("roles/search"), "SearchRoles", .server) { request throws(StreamError) in
        try await search(request)
      }
  }

  private typealias Listed = (name: Name, isOwn: Bool, at: WallTime)

  /// Returns all roles, sorted by name.
  private func listed(at now: WallTime) async throws(StreamError) -> [Listed] {
    let own = try await ask { () async throws(GatewayError) in try await setup.roles(at: now) }
    let given = Self.otherRoles.union(StreamRole.allCases.map(\.name))
    let roles: [Listed] =
      given.map { (name: $0, isOwn: false, at: Self.dawn) }
      + own.map { (name: $0.name, isOwn: true, at: $0.createdAt) }
    return roles.sorted { $0.name < $1.name }
  }

  private func answer(_ request: StreamRequest, _ roles: [Listed]) async throws(StreamError) -> StreamAnswer {
    let scopes = try await scopes(at: request.receivedAt)
    return StreamAnswer(200) { json in
      json.member("roles", objects: roles) { role, json in
        Self.write(role.name, isOwn: role.isOwn, scopes[role.name] ?? [], role.at, to: &json, request.dates)
      }
    }
  }

  /// Returns the roles whose names begin with the query, after `name_gt`.
  private func search(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    guard let query = request.http.parameter("query"), query.utf8.count <= 64 else {
      throw .input("query is a required field, of at most 64 bytes", field: "query")
    }
    var limit = 25
    if let text = request.http.parameter("limit") {
      guard let number = Int(text), (1...100).contains(number) else {
        throw .input("limit must be an integer of 1 to 100", field: "limit")
      }
      limit = number
    }
    let last = request.http.parameter("name_gt").map { Name($0) }
    let prefix = query.lowercased()
    let found = try await listed(at: request.receivedAt).filter { role in
      role.name.text.lowercased().utf8.starts(with: prefix.utf8) && last.map { $0 < role.name } != false
    }
    return try await answer(request, Array(found.prefix(limit)))
  }

  private func isGiven(role: Name) -> Bool {
    Self.otherRoles.contains(role) || StreamRole.allCases.contains { $0.name == StreamRole.canonical(role) }
  }

  /// Returns the call types in which each role has grants.
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
