package import GatewayCore
internal import GatewayJSON

/// What Chat's clients ask around their socket.
package struct StreamChatRoutes: Sendable {
  private let rest: StreamRoutes

  package init(_ rest: StreamRoutes) {
    self.rest = rest
  }

  package var routes: [HTTPRoute] {
    // A request to open the connection to the server with, before anybody is anybody.
    [HTTPRoute("GET", "/hi") { _, _ in StreamAnswer(200).response(after: .zero) }]
      // There are no connections without a socket, so none of any name can be polled: clients start over with a socket.
      + ["GET", "POST"].flatMap { method in
        rest.resource(method, .one("/longpoll"), "Longpoll", .user) { _ throws(StreamError) in
          throw .connectionIDNotFound("no connection has this connection_id: connect with a WebSocket")
        }
      }
      // No channels are kept here, so none is found. Chat asks at every comeback for those it has open, and counts
      // itself as offline if it gets an error.
      + ["/channels", "/api/v2/chat/channels"].flatMap { path in
        rest.resource(
          "POST", .one(path), "QueryChannels", rest.settings.admitsAnonymousToChat ? .anonymous : .user
        ) { request throws(StreamError) in
          _ = try request.body.object("filter_conditions")
          return StreamAnswer(201) { $0.member("channels", strings: []) }
        }
      }
  }
}
