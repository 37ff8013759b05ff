internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Friend lists of users. Contacts can be uploaded for finding friends, but no user is found.

extension SendbirdUserRoutes {
  func friendRoutes(_ resource: SendbirdResource) -> [HTTPRoute] {
    let user = "/v3/users/{user_id}"
    let (all, contacts) = (user + "/friends", user + "/friend_discoveries")
    return [
      resource.route("GET", all) { request throws(SendbirdError) in try await listFriends(request) },
      resource.route("POST", all) { request throws(SendbirdError) in try await addFriends(request) },
      resource.route("DELETE", all) { request throws(SendbirdError) in
        // Clients name them in the query, others in a body.
        if let named = request.texts("user_ids") {
          return try await removeFriends(Set(named.map { UserID($0.text) }), request)
        }
        guard let named = try request.body.users("user_ids") else { throw .missing("user_ids") }
        return try await removeFriends(Set(named), request)
      },
      resource.route("DELETE", all + "/{friend_id}") { request throws(SendbirdError) in
        try await removeFriends([UserID(request.path["friend_id"])], request)
      },
      resource.route("GET", all + "/changelogs") { request throws(SendbirdError) in try await friendChanges(request) },
      resource.route("PUT", contacts) { request throws(SendbirdError) in
        let user = try await writingOwner(request)
        let found = try request.body.objects("friend_discoveries", count: SendbirdLimits.contacts) {
          (contact) throws(SendbirdError) in
          try contact.requiredString("friend_discovery_key", max: SendbirdLimits.discoveryKey)
        }
        guard found != nil else { throw .missing("friend_discoveries") }
        let name = "\(user.id.rawValue)-\(services.wallTime.milliseconds)"
        return SendbirdResource.answer { $0.member("friend_discovery_request_id", name) }
      },
      resource.route("DELETE", contacts) { request throws(SendbirdError) in
        _ = try await writingOwner(request)
        return SendbirdResource.answer()
      },
    ]
  }

  private func writingOwner(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdUser {
    try request.needsWriter()
    return try await owner(request)
  }

  private func listFriends(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (user, now) = (try await owner(request), services.wallTime)
    let all = try await askOfFriends { () throws(GatewayError) in try await friends.friends(of: user.id, at: now) }
    let page = try SendbirdPage(of: all, for: request, by: \.rawValue)
    return try await answer(Array(page.items)) { json in
      json.member("has_more", !page.next.isEmpty)
      json.member("next", page.next)
    }
  }

  private func addFriends(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (user, now) = (try await writingOwner(request), services.wallTime)
    guard let named = try request.body.users("user_ids"), !named.isEmpty else { throw .missing("user_ids") }
    guard !named.contains(user.id) else { throw .invalid("user_ids") }
    guard try await directory.find(Set(named), at: now).count == named.count else { throw .notFound("User") }
    try await askOfFriends { () throws(GatewayError) in try await friends.add(named, to: user.id, at: now) }
    return try await answer(named)
  }

  private func removeFriends(
    _ named: Set<UserID>, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let (user, now) = (try await writingOwner(request), services.wallTime)
    try await askOfFriends { () throws(GatewayError) in try await friends.remove(named, from: user.id, at: now) }
    return SendbirdResource.answer()
  }

  /// Returns the changes since the answer with that token; everything without one.
  private func friendChanges(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (user, now, number) = (try await owner(request), services.wallTime, try request.pageToken ?? 0)
    let changes = try await askOfFriends { () throws(GatewayError) in
      try await friends.changes(of: user.id, after: number, at: now)
    }
    return try await answer(changes.added, as: "added") { json in
      json.member("updated", strings: [])
      json.member("deleted", strings: changes.removed.map(\.rawValue))
      json.member("has_more", false)
      json.member("next", SendbirdPageToken.text(changes.last))
    }
  }

  /// Returns the users that exist, and the members that `others` writes.
  private func answer(
    _ ids: [UserID], as name: StaticString = "users", _ others: (inout JSONWriter) -> Void = { _ in }
  ) async throws(SendbirdError) -> HTTPResponse {
    let users = try await directory.find(Set(ids), at: services.wallTime)
    let online = await services.connected(of: ids)
    return SendbirdResource.answer { json in
      json.member(name, objects: ids.compactMap { users[$0] }) { user, json in
        SendbirdUserObject(user: user, isOnline: online.contains(user.id), showsToken: false).write(to: &json)
      }
      others(&json)
    }
  }
}
