package import GatewayCore
internal import GatewayJSON

/// The routes that Chat's clients ask around their socket, and in its place, `POST /channels` for instance: no channels
/// are kept here, so all is empty.
package struct StreamChatRoutes: Sendable {
  let rest: StreamRoutes

  package init(_ rest: StreamRoutes) {
    self.rest = rest
  }

  package var routes: [HTTPRoute] {
    // A request to open the connection to the server with, before anybody is anybody.
    [HTTPRoute("GET", "/hi") { _, _ in StreamAnswer(200).response(after: .zero) }] + pollRoutes + channelRoutes
  }

  private var channelRoutes: [HTTPRoute] {
    // Chat asks at every comeback for those it has open, and counts itself as offline if it gets an error.
    let access = rest.settings.admitsAnonymousToChat ? StreamRoutes.Access.anonymous : .user
    return both("POST", "channels", "QueryChannels", access) { request throws(StreamError) in
      _ = try request.body.object("filter_conditions")
      return StreamAnswer(201) { $0.member("channels", strings: []) }
    }
      // What was missed in channels while the client was away.
      + both("POST", "sync", "Sync") { request throws(StreamError) in
        _ = try request.body.strings("channel_cids", count: 255)
        guard try request.body.date("last_sync_at") != nil else {
          throw .input("last_sync_at is a required field", field: "last_sync_at")
        }
        return StreamAnswer(201) { json in
          json.member("events", strings: [])
          json.member("inaccessible_cids", strings: [])
        }
      }
      + both("POST", "channels/read", "MarkChannelsRead") { request throws(StreamError) in
        _ = try request.actingUser()
        return StreamAnswer(201)
      }
      + both("GET", "unread", "UnreadCounts") { request throws(StreamError) in
        _ = try request.actingUser()
        return StreamAnswer(200) { json in
          for name in ["total_unread_count", "total_unread_threads_count"] {
            json.name(name)
            json.integer(0)
          }
          json.member("total_unread_count_by_team") { _ in }
          for name in ["channels", "channel_type", "threads"] {
            json.name(name)
            json.raw("[]")
          }
        }
      }
      + both("POST", "threads", "QueryThreads") { request throws(StreamError) in
        _ = try request.actingUser()
        return StreamAnswer(201) { $0.member("threads", strings: []) }
      }
      + both("GET", "search", "Search") { request throws(StreamError) in
        _ = try request.payload()
        return StreamAnswer(200) { $0.member("results", strings: []) }
      }
  }

  /// At both of the places where Chat's resources stand.
  private func both(
    _ method: String, _ path: String, _ operation: String, _ access: StreamRoutes.Access = .user,
    _ work: @escaping StreamRoutes.Work
  ) -> [HTTPRoute] {
    rest.resource(method, .one("/\(path)"), operation, access, work)
      + rest.resource(method, .one("/api/v2/chat/\(path)"), operation, access, work)
  }
}
