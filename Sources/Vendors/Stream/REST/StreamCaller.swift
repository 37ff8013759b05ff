internal import GatewayCore

/// A sender of REST requests.
struct StreamCaller: Hashable, Sendable {
  /// The kind of a sender.
  enum Kind: Hashable, Sendable {
    /// The application's own server: a valid token without a user.
    case server
    case user
    case guest
    case anonymous
  }

  var apiKey: String
  var kind: Kind
  /// Nil for a server; ``UserID/anonymous`` for an anonymous user.
  var user: UserID?
  /// The user as the directory had them when the token was read; nil if there is no such record.
  var record: StreamUser?
  /// The calls that the caller's token allows; nil if it does not limit them.
  var calls: [CallID]?
  /// The role that the token gives in those calls.
  var role: Name?
  /// The caller's connection, named by `connection_id`; nil if there is none with that name or it belongs to another
  /// user.
  var connection: ConnectionID?
  var platform: StreamPlatform = .web
  /// Whether the application's moderators have banned the user from calls.
  var isBanned = false

  var isServer: Bool { kind == .server }

  /// Throws unless the token allows `call`.
  func check(_ call: CallID) throws(StreamError) {
    guard calls?.contains(call) ?? true else {
      throw .notAllowed("the token does not open the call \(call)")
    }
  }
}

/// The kind of device that a client runs on, e.g. `ios`; rate limits count each separately.
enum StreamPlatform: String, Hashable, Sendable, CaseIterable {
  case ios, android, web, server

  /// Reads the platform from `X-Stream-Client`.
  init(client: String?, isServer: Bool) {
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
