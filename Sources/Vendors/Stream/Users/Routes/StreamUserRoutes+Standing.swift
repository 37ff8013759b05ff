internal import GatewayCore
internal import GatewayJSON

// Deactivating, reactivating, deleting and restoring users.

extension StreamUserRoutes {
  var standing: [HTTPRoute] {
    rest.resource("POST", .common("users/{user_id}/deactivate"), "DeactivateUser", .server) {
      request throws(StreamError) in
      try await one(request, 201, .deactivated, Self.deactivate)
    }
      + rest.resource("POST", .common("users/{user_id}/reactivate"), "ReactivateUser", .server) {
        request throws(StreamError) in
        let name = try request.body.string("name")
        return try await one(request, 201, .reactivated) { (user, now) throws(GatewayError) in
          try Self.reactivate(&user, at: now)
          if let name { user.name = name }
        }
      }
      + rest.resource("DELETE", .common("users/{user_id}"), "DeleteUser", .server) { request throws(StreamError) in
        let isHard = request.http.parameter("hard_delete") == "true"
        let answer = try await one(request, 200, .deleted, isHard: isHard) { user, now in
          user.deactivatedAt = now
          user.deletedAt = now
        }
        if isHard { try await rest.removeUser(UserID(request.parameters["user_id"])) }
        return answer
      }
      + rest.resource("POST", .common("users/deactivate"), "DeactivateUsers", .server) { request throws(StreamError) in
        try await many(request, .deactivated, Self.deactivate)
      }
      + rest.resource("POST", .common("users/reactivate"), "ReactivateUsers", .server) { request throws(StreamError) in
        try await many(request, .reactivated, Self.reactivate)
      }
      + rest.resource("POST", .common("users/restore"), "RestoreUsers", .server) { request throws(StreamError) in
        try await many(request, .reactivated) { user, _ in
          user.deactivatedAt = nil
          user.deletedAt = nil
        }
      }
      + rest.resource("POST", .common("users/delete"), "DeleteUsers", .server) { request throws(StreamError) in
        let isHard = try request.body.string("user") == "hard"
        let answer = try await many(request, .deleted, isHard: isHard) { user, now in
          user.deactivatedAt = now
          user.deletedAt = now
        }
        if isHard { for id in try Self.ids(request) { try await rest.removeUser(id) } }
        return answer
      }
      + rest.resource("GET", .common("tasks/{id}"), "GetTask", .server) { request throws(StreamError) in
        let id = request.parameters["id"]
        var address: String?
        var doneAt = StreamTask.read(id).flatMap { $0 <= request.receivedAt ? $0 : nil }
        if let export = StreamTask.export(id), let kept = try await self.address(of: export, request) {
          (address, doneAt) = kept
        }
        guard let doneAt else { throw .doesNotExist("there is no such task") }
        let url = address
        return StreamAnswer(200) { json in
          json.member("task_id", request.parameters["id"])
          json.member("status", "completed")
          json.member("created_at", doneAt, request.dates)
          json.member("updated_at", doneAt, request.dates)
          json.member("result") { json in if let url { json.member("url", url) } }
        }
      }
  }

  private typealias Change = @Sendable (inout StreamUser, WallTime) throws(GatewayError) -> Void

  private static func deactivate(_ user: inout StreamUser, at now: WallTime) throws(GatewayError) {
    try user.checkKept()
    user.deactivatedAt = now
  }

  private static func reactivate(_ user: inout StreamUser, at now: WallTime) throws(GatewayError) {
    try user.checkKept()
    user.deactivatedAt = nil
  }

  private func one(
    _ request: StreamRequest, _ status: Int, _ event: StreamUserEvent.Kind, isHard: Bool = false,
    _ change: @escaping Change
  ) async throws(StreamError) -> StreamAnswer {
    let id = UserID(request.parameters["user_id"])
    let user = try await apply(change, to: id, event, isHard: isHard, at: request.receivedAt)
    let isOnline = await !rest.online([user]).isEmpty
    return StreamAnswer(status) { json in
      json.member("user") { user.writeFullMembers(to: &$0, request.family, isOnline: isOnline) }
    }
  }

  /// Changes several users at once. Stream starts a task for it, which here is complete when the request is answered.
  private func many(
    _ request: StreamRequest, _ event: StreamUserEvent.Kind, isHard: Bool = false, _ change: @escaping Change
  ) async throws(StreamError) -> StreamAnswer {
    let ids = try Self.ids(request)
    // All or nothing.
    for var user in try await known(ids) {
      do throws(GatewayError) { try change(&user, request.receivedAt) } catch { throw StreamError(error) }
    }
    for id in ids { _ = try await apply(change, to: id, event, isHard: isHard, at: request.receivedAt) }
    return StreamAnswer(201) { $0.member("task_id", StreamTask.id(doneAt: request.receivedAt)) }
  }

  static func ids(_ request: StreamRequest) throws(StreamError) -> [UserID] {
    guard let ids = try request.body.strings("user_ids", count: usersMax), !ids.isEmpty else {
      throw .input("user_ids must be an array of 1 to \(usersMax)", field: "user_ids")
    }
    return ids.map { UserID($0) }
  }

  private func apply(
    _ change: @escaping Change, to id: UserID, _ event: StreamUserEvent.Kind, isHard: Bool, at now: WallTime
  ) async throws(StreamError) -> StreamUser {
    let user = try await rest.update(id, creates: false, at: now) { (user, _) throws(GatewayError) in
      try change(&user, now)
    }
    await rest.tell(event, user, isHard: isHard, at: now)
    if user.deactivatedAt != nil { await rest.endSessions(of: id) }
    return user
  }
}

/// The name of a task. Tasks are complete when they are created, so the name only has to contain the time.
enum StreamTask {
  static func id(doneAt: WallTime) -> String {
    "task-\(String(doneAt.nanoseconds, radix: 16))"
  }

  /// Returns the task's name for an export, which is stored and found by its name.
  static func id(export: String) -> String { "export-\(export)" }

  /// Returns the name of the export; nil for another task.
  static func export(_ id: String) -> String? {
    id.hasPrefix("export-") ? String(id.dropFirst("export-".count)) : nil
  }

  static func read(_ id: String) -> WallTime? {
    guard id.hasPrefix("task-") else { return nil }
    return Int64(id.dropFirst("task-".count), radix: 16).map { WallTime(nanoseconds: $0) }
  }
}
