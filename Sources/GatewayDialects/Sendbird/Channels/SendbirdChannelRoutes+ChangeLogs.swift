internal import GatewayCore
internal import GatewayTokens

// What clients ask after they were away: what has changed since a time, or since the answer before.
//
// Nobody notes when a channel changed, or what was deleted. So every channel counts as changed, which tells a client
// nothing wrong, and nothing as deleted.

extension SendbirdChannelRoutes {
  var changeLogRoutes: [HTTPRoute] {
    let channels = "/v3/users/{user_id}/my_group_channels/changelogs"
    let messages = SendbirdChannel.Kind.allCases.map { kind in
      resource.route("GET", Self.path(kind) + "/{channel_url}/messages/changelogs") {
        request throws(SendbirdError) in try await messageChanges(kind, request)
      }
    }
    return messages + [
      resource.route("GET", channels) { request throws(SendbirdError) in
        try await channelChanges(request, token: try request.pageToken)
      },
      // An early fourth generation of the JavaScript SDK asks with PUT, its parameters in the body.
      resource.route("PUT", channels) { request throws(SendbirdError) in
        let token = try request.body.string("token", max: SendbirdLimits.metadataKey)
        return try await channelChanges(request, token: try SendbirdRequest.place(token))
      },
    ]
  }

  /// The token behind the last page names the first: what changes later is asked for with it.
  private func channelChanges(_ request: SendbirdRequest, token: Int64?) async throws(SendbirdError) -> HTTPResponse {
    var query = try SendbirdChannelQuery(.group, request)
    query.member = try await own(request)
    query.limit = try request.number("limit", default: SendbirdLimits.pageMax, max: SendbirdLimits.pageMax)
    query.offset = Int(clamping: token ?? 0)
    let page = await channels.channels(query)
    let objects = await present(page.channels, to: query.member, showsMembers: true, showsReceipts: true)
    let now = services.wallTime
    return SendbirdResource.answer { json in
      json.member("updated", objects: objects) { $0.write(to: &$1) }
      Self.writeEnd(hasMore: page.next != nil, next: Int64(page.next ?? 0), at: now, to: &json)
    }
  }

  /// The messages that were edited, in the order of that.
  private func messageChanges(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let place = try request.pageToken.map(WallTime.init(milliseconds:))
    guard let since = try request.time("change_ts") ?? place else { throw .missing("change_ts") }
    let now = services.wallTime
    let all = SendbirdMessageQuery(around: .time(now), before: .max, after: .max, includesPoint: true)
    let messages = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.messages(of: channel.url, all)
    }
    let changed = messages.compactMap { message in
      message.updatedAt.flatMap { $0 >= since ? (at: $0.milliseconds, message: message) : nil }
    }.sorted { ($0.at, $0.message.id) < ($1.at, $1.message.id) }
    var page = changed.prefix(SendbirdLimits.pageMax)
    // The next page begins with the next millisecond.
    if let last = page.last { page = changed.prefix { $0.at <= last.at } }
    let hasMore = page.count < changed.count
    return SendbirdResource.answer { json in
      json.name("updated")
      json.beginArray()
      for change in page { SendbirdMessageObject(change.message, kind).write(to: &json) }
      json.endArray()
      let next = hasMore ? page.last.map { $0.at + 1 } : nil
      Self.writeEnd(hasMore: hasMore, next: next ?? now.milliseconds, at: now, to: &json)
    }
  }

  private static func writeEnd(hasMore: Bool, next: Int64, at now: WallTime, to json: inout JSONWriter) {
    json.member("deleted", strings: [])
    json.member("has_more", hasMore)
    json.member("next", SendbirdPageToken.text(next))
    json.member("ts", now.milliseconds)
  }
}
