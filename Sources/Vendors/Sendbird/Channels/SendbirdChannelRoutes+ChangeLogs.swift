internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The changes since a time or since an earlier answer, for clients that were disconnected.
//
// The times of channel changes are not recorded. Therefore every channel counts as changed, which is harmless to
// clients.

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
        try await channelChanges(request, since: try request.time("change_ts"), token: request.text("token"))
      },
      // An early fourth generation of the JavaScript SDK uses PUT, with its parameters in the body.
      resource.route("PUT", channels) { request throws(SendbirdError) in
        let body = try request.body
        let token = try body.string("token", max: SendbirdLimits.metadataKey)
        return try await channelChanges(request, since: try body.time("change_ts"), token: token)
      },
    ]
  }

  /// Returns the changed channels. The token of the last page starts again at the first, from now on, to ask for later
  /// changes.
  private func channelChanges(
    _ request: SendbirdRequest, since: WallTime?, token text: String?
  ) async throws(SendbirdError) -> HTTPResponse {
    let token = text.flatMap { $0.isEmpty ? nil : $0 }
    let place = token.flatMap(SendbirdChangeToken.init)
    guard token == nil || place != nil else { throw .invalid("token") }
    let start = place?.since ?? since ?? WallTime(nanoseconds: 0)
    var query = SendbirdChannelQuery(.group)
    let user = try await own(request)
    query.member = user
    query.limit = try request.number("limit", default: SendbirdLimits.pageMax, max: SendbirdLimits.pageMax)
    guard query.limit > 0 else { throw .outOfRange("limit") }
    // The page before ended at this channel. The position stays even if a channel is removed in between.
    query.after = place?.channel
    // There are no notification channels.
    let isOfFeeds = try request.flag("is_feed_channel") ?? false
    if isOfFeeds { query.urls = [] }
    let now = services.wallTime
    let (page, gone) = try await ask { [query] () throws(SendbirdChannelRefusal) -> (SendbirdChannelPage, [Name]) in
      let page = try await channels.channels(query, at: now)
      // Sent with every page, since the last page's token only covers later departures.
      return (page, isOfFeeds ? [] : try await channels.departures(of: user, since: start, at: now))
    }
    let objects = try await present(page.channels, to: user, showsMembers: true, showsReceipts: true)
    let next = page.next.map { SendbirdChangeToken(since: start, channel: $0) }
    return SendbirdResource.answer { json in
      json.member("updated", objects: objects) { $0.write(to: &$1) }
      json.member("deleted", strings: gone.lazy.map(\.text))
      Self.writeEnd(next != nil, next ?? SendbirdChangeToken(behind: now), at: now, to: &json)
    }
  }

  /// Returns the messages whose content, reactions or threads changed, in the order of the changes.
  private func messageChanges(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let token = request.text("token").map { SendbirdChangeToken($0) }
    if let token, token == nil { throw .invalid("token") }
    let time = try request.time("change_ts")
    guard let since = token.flatMap({ $0?.since }) ?? time else { throw .missing("change_ts") }
    let now = services.wallTime
    var all = SendbirdMessageQuery(around: .time(now), before: .max, after: .max, includesPoint: true)
    all.since = try await history(of: channel, request)
    let messages = try await ask { [all] () throws(SendbirdChannelRefusal) in
      try await channels.messages(of: channel.url, all, at: now)
    }
    let changed = messages.compactMap { message in
      message.changedAt.flatMap { $0 >= since ? (at: $0.milliseconds, message: message) : nil }
    }.sorted { ($0.at, $0.message.id) < ($1.at, $1.message.id) }
    var page = changed.prefix(SendbirdLimits.pageMax)
    // The next page begins with the next millisecond.
    if let last = page.last { page = changed.prefix { $0.at <= last.at } }
    let hasMore = page.count < changed.count
    let deletions = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.deletions(of: channel.url, since: since, at: now)
    }
    let last = hasMore ? page.last : nil
    let next = last.map { SendbirdChangeToken(since: WallTime(milliseconds: $0.at) + .milliseconds(1)) }
    return SendbirdResource.answer { json in
      json.name("updated")
      json.beginArray()
      for change in page { SendbirdMessageObject(change.message, kind).write(to: &json) }
      json.endArray()
      json.member("deleted", objects: deletions) { deletion, json in
        json.member("message_id", deletion.message)
        json.member("deleted_at", deletion.at.milliseconds)
      }
      Self.writeEnd(hasMore, next ?? SendbirdChangeToken(behind: now), at: now, to: &json)
    }
  }

  private static func writeEnd(
    _ hasMore: Bool, _ next: SendbirdChangeToken, at now: WallTime, to json: inout JSONWriter
  ) {
    json.member("has_more", hasMore)
    json.member("next", next.text)
    json.member("ts", now.milliseconds)
  }
}
