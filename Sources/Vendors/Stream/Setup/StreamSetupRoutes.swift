internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The routes by which servers set up their application: call types, roles, permissions, push providers, storages and
/// trunks. They also return its limits and current calls.
struct StreamSetupRoutes: Sendable {
  let rest: StreamRoutes
  let setup: StreamSetup
  let calls: StreamCallDirectory
  /// The call types that exist without being created; nil for any.
  let types: Set<String>?
  /// The source of trunks' names and passwords.
  let secrets: Secrets

  init(
    _ rest: StreamRoutes, setup: StreamSetup, calls: StreamCallDirectory, types: Set<String>?, secrets: Secrets
  ) {
    self.rest = rest
    self.setup = setup
    self.calls = calls
    self.types = types
    self.secrets = secrets
  }

  var routes: [HTTPRoute] {
    typeRoutes + roleRoutes + permissionRoutes + providerRoutes + templateRoutes + storageRoutes + sipRoutes
      + figureRoutes
  }

  /// Runs `work`, and converts its errors to Stream's.
  func ask<Answer>(_ work: () async throws(GatewayError) -> Answer) async throws(StreamError) -> Answer {
    do throws(GatewayError) {
      return try await work()
    } catch {
      throw StreamError(error)
    }
  }

  private var typeRoutes: [HTTPRoute] {
    rest.resource("GET", .video("calltypes"), "ListCallTypes", .server) { request throws(StreamError) in
      let said = try await ask { () async throws(GatewayError) in try await setup.types(at: request.receivedAt) }
      var definitions: [Name: StreamCallType?] = [:]
      for name in types ?? StreamCallPolicy.builtInTypes { definitions[Name(name)] = .some(nil) }
      for type in said { definitions[Name(type.name)] = type }
      let listed = definitions.sorted { $0.key < $1.key }
      return StreamAnswer(200) { json in
        json.member("call_types") { json in
          for (name, definition) in listed {
            json.name(name.text)
            json.beginObject()
            Self.write(name.text, definition, to: &json, request.dates)
            json.endObject()
          }
        }
      }
    }
      + rest.resource("POST", .video("calltypes"), "CreateCallType", .server) { request throws(StreamError) in
        let name = try request.body.requiredString("name", max: 100)
        guard CallID(cid: "\(name):x") != nil else {
          throw request.body.wrong("name", "letters, digits, _, - and ! only")
        }
        guard !isGiven(name) else { throw Self.exists(name) }
        return try await change(request, name, 201) { (known) throws(GatewayError) in
          guard known == nil else { throw Self.exists(name).gatewayError }
          return StreamCallType(name: name, createdAt: request.receivedAt)
        }
      }
      + rest.resource("GET", .video("calltypes/{name}"), "GetCallType", .server) { request throws(StreamError) in
        let name = request.parameters["name"]
        let definition = try await ask { () async throws(GatewayError) in
          try await setup.type(name, at: request.receivedAt)
        }
        guard definition != nil || isGiven(name) else { throw Self.missing(name) }
        return StreamAnswer(200) { Self.write(name, definition, to: &$0, request.dates) }
      }
      + rest.resource("PUT", .video("calltypes/{name}"), "UpdateCallType", .server) { request throws(StreamError) in
        let name = request.parameters["name"]
        return try await change(request, name, 200) { (known) throws(GatewayError) in
          if let known { return known }
          guard isGiven(name) else { throw Self.missing(name).gatewayError }
          return StreamCallType(name: name, createdAt: Self.dawn)
        }
      }
      + rest.resource("DELETE", .video("calltypes/{name}"), "DeleteCallType", .server) { request throws(StreamError) in
        let name = request.parameters["name"]
        guard !isGiven(name) else {
          throw .input("call type \"\(name)\" is built in: change it with an update", field: "name")
        }
        let wasThere = try await ask { () async throws(GatewayError) in
          try await setup.removeType(name, at: request.receivedAt)
        }
        guard wasThere else { throw Self.missing(name) }
        return StreamAnswer(200)
      }
  }

  /// The creation date of built-in objects.
  static let dawn = WallTime(seconds: 0)

  /// Returns whether the type exists without a server having created it.
  private func isGiven(_ name: String) -> Bool {
    (types ?? StreamCallPolicy.builtInTypes).contains { $0.utf8.elementsEqual(name.utf8) }
  }

  private static func missing(_ name: String) -> StreamError { .doesNotExist("call type \"\(name)\" does not exist") }
  private static func exists(_ name: String) -> StreamError {
    .input("call type \"\(name)\" exists already", field: "name")
  }

  /// Changes the type that `make` finds or creates as the body says.
  private func change(
    _ request: StreamRequest, _ name: String, _ status: Int,
    _ make: (StreamCallType?) throws(GatewayError) -> StreamCallType
  ) async throws(StreamError) -> StreamAnswer {
    let (body, now) = (request.body, request.receivedAt)
    let grants = try Self.grants(body)
    if let grants { try await checkRoles(Array(grants.keys), at: now) }
    let settings = try body.object("settings").map(StreamCallSettings.overrides)
    let notifications = try body.object("notification_settings")
    let storage = try body.string("external_storage", max: 255)
    let type = try await ask { () async throws(GatewayError) in
      try await setup.changeType(name, at: now) { (known) throws(GatewayError) in
        var type = try make(known)
        if let grants { type.grants.merge(grants) { $1 } }
        if let settings { type.settings.merge(settings) { $1 } }
        if let storage { type.externalStorage = storage }
        if let notifications {
          do throws(StreamError) { try type.notifications.change(notifications) } catch { throw error.gatewayError }
        }
        type.updatedAt = now
        guard type.footprint <= StreamCallType.footprintMax else {
          throw .invalidParameter.worded("a call type is limited to \(StreamCallType.footprintMax) bytes")
        }
        return type
      }
    }
    return StreamAnswer(status) { Self.write(name, type, to: &$0, request.dates) }
  }

  /// Reads `grants`: at most 64 roles with at most 200 permissions each.
  private static func grants(_ body: StreamBody) throws(StreamError) -> [Name: [String]]? {
    guard let object = try body.object("grants") else { return nil }
    let members = object.view.members ?? []
    guard members.count <= 64 else { throw body.wrong("grants", "an object of at most 64 roles") }
    var grants: [Name: [String]] = [:]
    for (role, _) in members {
      let permissions = try object.strings(role, count: 200, max: 255) ?? []
      grants[StreamRole.canonical(Name(role))] = Set(permissions.map { Name($0) }).sorted().map(\.text)
    }
    return grants
  }

  /// Throws unless the roles exist: a role must be created before it gets grants.
  private func checkRoles(_ roles: [Name], at now: WallTime) async throws(StreamError) {
    var unknown = Set(roles).subtracting(StreamRole.allCases.map(\.name)).subtracting(Self.otherRoles)
    guard !unknown.isEmpty else { return }
    let own = try await ask { () async throws(GatewayError) in try await setup.roles(at: now) }
    unknown.subtract(own.map(\.name))
    guard unknown.isEmpty else {
      let names = unknown.sorted().map(\.text).joined(separator: ", ")
      throw .input("role \(names) does not exist: create it before something is granted to it", field: "grants")
    }
  }

  /// Writes the object `CallTypeResponse` without its braces.
  private static func write(
    _ name: String, _ definition: StreamCallType?, to json: inout JSONWriter, _ dates: StreamDates
  ) {
    json.member("name", name)
    json.member("created_at", definition?.createdAt ?? dawn, dates)
    json.member("updated_at", definition?.updatedAt ?? dawn, dates)
    json.member("grants") { json in
      for (role, permissions) in StreamGrants(of: name, definition).listed {
        json.name(role.text)
        json.beginArray()
        for permission in permissions { json.string(permission) }
        json.endArray()
      }
    }
    json.name("settings")
    StreamCallSettings(type: name, definition).write(to: &json)
    json.name("notification_settings")
    (definition?.notifications ?? StreamCallNotifications()).write(to: &json)
    if let storage = definition?.externalStorage { json.member("external_storage", storage) }
  }
}

extension StreamCallNotifications {
  /// Applies a request's body.
  fileprivate mutating func change(_ body: StreamBody) throws(StreamError) {
    if let isEnabled = try body.bool("enabled") { self.isEnabled = isEnabled }
    for event in Event.allCases {
      guard let said = try body.object(event.rawValue) else { continue }
      var setting = events[event] ?? Setting()
      if let isEnabled = try said.bool("enabled") { setting.isEnabled = isEnabled }
      if let apns = try said.object("apns") {
        if let title = try apns.string("title", max: 255) { setting.title = title }
        if let body = try apns.string("body", max: 1024) { setting.body = body }
      }
      events[event] = setting
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("enabled", isEnabled)
    for event in Event.allCases {
      let setting = events[event] ?? Setting()
      json.name(event.rawValue)
      json.beginObject()
      json.member("enabled", setting.isEnabled)
      json.member("apns") { json in
        json.member("title", setting.title ?? "")
        json.member("body", setting.body ?? "")
      }
      json.name("fcm")
      json.raw(#"{"data":{}}"#)
      json.endObject()
    }
    json.endObject()
  }
}
