package import GatewayCore

/// A sender of REST requests.
package struct StreamCaller: Hashable, Sendable {
  /// The kind of a sender.
  package enum Kind: Hashable, Sendable {
    /// The application's own server: a valid token without a user.
    case server
    case user
    case guest
    case anonymous
  }

  package var apiKey: String
  package var kind: Kind
  /// Nil for a server; ``UserID/anonymous`` for an anonymous user.
  package var user: UserID?
  /// The calls that the caller's token allows; nil if it does not limit them.
  package var calls: [CallID]?
  /// The role that the token gives in those calls.
  package var role: Name?
  /// The caller's connection, named by `connection_id`; nil if there is none with that name or it belongs to another
  /// user.
  package var connection: ConnectionID?
  package var platform: StreamPlatform
  /// Whether the application's moderators have banned the user from calls.
  package var isBanned = false

  package init(
    apiKey: String, kind: Kind, user: UserID?, calls: [CallID]? = nil, role: Name? = nil,
    connection: ConnectionID? = nil, platform: StreamPlatform = .web
  ) {
    self.apiKey = apiKey
    self.kind = kind
    self.user = user
    self.calls = calls
    self.role = role
    self.connection = connection
    self.platform = platform
  }

  package var isServer: Bool { kind == .server }

  /// Throws unless the token allows `call`.
  package func check(_ call: CallID) throws(StreamError) {
    guard calls?.contains(call) ?? true else {
      throw .notAllowed("the token does not open the call \(call)")
    }
  }
}

/// The kind of device that a client runs on, e.g. `ios`; rate limits count each separately.
package enum StreamPlatform: String, Hashable, Sendable, CaseIterable {
  case ios, android, web, server

  /// Reads the platform from `X-Stream-Client`.
  package init(client: String?, isServer: Bool) {
    let client = (client ?? "").lowercased()
    if isServer {
      self = .server
    } else if client.contains(bytesOf: "swift") || client.contains(bytesOf: "ios") {
      self = .ios
    } else if client.contains(bytesOf: "android") || client.contains(bytesOf: "kotlin") {
      self = .android
    } else {
      self = .web
    }
  }
}
