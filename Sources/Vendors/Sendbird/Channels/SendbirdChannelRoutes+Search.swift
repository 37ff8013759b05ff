internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Search in the texts of messages.

extension SendbirdChannelRoutes {
  var searchRoutes: [HTTPRoute] {
    [
      resource.route("GET", "/v3/search/messages") { request throws(SendbirdError) in try await search(request) }
    ]
  }

  private func search(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    guard let user = request.actor(request.text("user_id").map { UserID($0) }) else { throw .missing("user_id") }
    guard let text = request.text("query") else { throw .missing("query") }
    guard text.unicodeScalars.count <= SendbirdLimits.searched else {
      throw .tooLong("query", max: SendbirdLimits.searched)
    }
    var search = SendbirdSearch(text)
    search.channel = request.text("channel_url").map { Name($0) }
    search.customType = request.text("custom_type").map { Name($0) }
    search.since = try request.time("message_ts_from")
    search.until = try request.time("message_ts_to")
    search.isExact = try request.flag("exact_match") ?? false
    search.isReversed = try request.flag("reverse") ?? false
    search.limit = try request.limit
    // The page after the cursor of the page before.
    search.after = try SendbirdRequest.place(request.text("after") ?? request.text("token"))
    let found = try await ask { [search] () throws(SendbirdChannelRefusal) in
      try await channels.search(search, by: user, at: services.wallTime)
    }
    var outlines: [Name: SendbirdChannel] = [:]
    for url in Set(found.messages.map(\.channelURL)) {
      outlines[url] = try await ask { () throws(SendbirdChannelRefusal) in
        try await channels.outline(url, at: services.wallTime)
      }
    }
    return SendbirdResource.answer { json in
      json.member("results", objects: found.messages) { message, json in
        SendbirdMessageObject(message, .group, viewer: user).writeMembers(to: &json)
        guard let channel = outlines[message.channelURL] else { return }
        json.member("channel") { json in
          json.member("channel_url", channel.url.text)
          json.member("name", channel.properties.name)
          json.member("custom_type", channel.properties.customType.text)
          json.member("cover_url", channel.properties.coverURL)
        }
      }
      json.member("has_next", found.next != nil)
      json.member("total_count", Int64(found.total))
      json.member("end_cursor", found.next.map(SendbirdPageToken.text) ?? "")
    }
  }
}
