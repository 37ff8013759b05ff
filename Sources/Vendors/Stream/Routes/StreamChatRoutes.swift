internal import GatewayCore
internal import GatewayJSON

/// The routes that Chat's clients use beside or instead of their socket. No channels are stored here, so all lists are
/// empty.
struct StreamChatRoutes: Sendable {
  let rest: StreamRoutes

  init(_ rest: StreamRoutes) {
    self.rest = rest
  }

  var routes: [HTTPRoute] {
    // A request without authentication by which clients open the connection to the server.
    [HTTPRoute("GET", "/hi") { _, _ in StreamAnswer(200).response(after: .zero) }] + pollRoutes + channelRoutes
  }

  private var channelRoutes: [HTTPRoute] {
    // After each reconnect Chat asks for its open channels, and considers itself offline if it gets an error.
    let access = rest.settings.admitsAnonymousToChat ? StreamRoutes.Access.anonymous : .user
    return both("POST", "channels", "QueryChannels", access) { request throws(StreamError) in
      _ = try request.body.object("filter_conditions")
      return StreamAnswer(201) { $0.member("channels", strings: []) }
    }
      // The events of channels that the client missed while it was disconnected.
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

  /// Returns the routes at both paths of Chat's resources.
  private func both(
    _ method: String, _ path: String, _ operation: String, _ access: StreamRoutes.Access = .user,
    _ work: @escaping StreamRoutes.Work
  ) -> [HTTPRoute] {
    rest.resource(method, .one("/\(path)"), operation, access, work)
      + rest.resource(method, .one("/api/v2/chat/\(path)"), operation, access, work)
  }
}
