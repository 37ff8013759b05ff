internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Stream's wire format, the server's side, on one of its three sockets.
struct StreamDialect: Dialect {
  /// One of Stream's sockets by its name in Postern, e.g. `stream-chat`.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// `/video/connect`: Video on devices and in browsers.
    case video = "stream-video"
    /// `/api/v2/connect`: Video from Rust and Python, dates as nanoseconds.
    case v2 = "stream-video-v2"
    /// `/connect?json=…`: Chat, whose query contains the whole login.
    case chat = "stream-chat"

    var path: String {
      switch self {
      case .video: "/video/connect"
      case .v2: "/api/v2/connect"
      case .chat: "/connect"
      }
    }

    var family: StreamFamily {
      switch self {
      case .video: .video
      case .v2: .v2
      case .chat: .chat
      }
    }
  }

  /// The first segments of Chat's paths at the root; the other products' paths have a prefix.
  private static let chatRoots: Set<Substring> = [
    "app", "connect", "devices", "guest", "hi", "longpoll", "users", "channels", "messages", "moderation", "sync",
    "search", "query_banned_users", "query_future_channel_bans", "threads", "polls", "roles", "permissions",
    "channeltypes", "commands", "blocklists", "rate_limits", "unread", "unread_batch", "drafts", "reminders", "uploads",
    "og", "tasks", "push_preferences", "push_providers", "check_push", "check_sns", "check_sqs", "campaigns",
    "segments", "export", "export_channels", "import_urls", "imports", "usergroups", "call_tokens",
  ]

  let kind: Kind
  let expiry: StreamExpiry

  init(_ kind: Kind, expiry: StreamExpiry = StreamExpiry()) {
    self.kind = kind
    self.expiry = expiry
  }

  var name: String { kind.rawValue }

  /// The names of the three.
  static let names = Set(Kind.allCases.map(\.rawValue))

  var refusesBeforeUpgrade: Bool { false }
  var renewal: RefreshHabit.How? { .reconnect }
  /// Swift pings every 5 s and closes unless a `health.check` comes within 3 s; a protocol pong is not enough.
  var answersProtocolPings: Bool { true }

  var socketPath: String? { kind.path }

  func accepts(_ upgrade: HTTPRequest) -> Bool {
    upgrade.path == kind.path
  }

  func application(in request: HTTPRequest) -> String? { request.parameter("api_key") }

  func owns(path: String) -> Bool {
    switch kind {
    case .video: path.hasPrefix("/video/")
    case .v2: path.hasPrefix("/api/v2/")
    case .chat: path.split(separator: "/").first.map(Self.chatRoots.contains) ?? false
    }
  }

  /// Returns the credentials in Chat's query; nil for Video, whose first message decides even if the upgrade had a
  /// header.
  func credentials(in upgrade: HTTPRequest) -> Credentials? {
    guard kind == .chat else { return nil }
    let token = upgrade.parameter("authorization") ?? ""
    return Credentials(
      // JavaScript writes `undefined` for a missing value.
      token: token == "undefined" ? "" : token,
      details: Baggage(StreamUserDetails(text: upgrade.parameter("json") ?? "")))
  }

  func details(of upgrade: HTTPRequest) -> Baggage? {
    Baggage(
      StreamUpgrade(
        apiKey: upgrade.parameter("api_key"),
        authType: upgrade.parameter("stream-auth-type") ?? upgrade.header("stream-auth-type"),
        client: upgrade.parameter("X-Stream-Client") ?? upgrade.header("x-stream-client")))
  }

  /// Decodes the login message, and after it only health checks, of which clients send four forms: one an array, one
  /// the gateway's own `connection.ok`. One that comes during the login is ignored.
  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    guard !context.isLoggedIn else { return .ping(request: nil) }
    guard !context.isAuthenticating else { return nil }
    do throws(StreamError) {
      guard self.kind != .chat else { throw .authenticationMissing("the query authenticates; no message does") }
      return .credentials(try Self.login(payload), request: nil)
    } catch {
      throw error.gatewayError
    }
  }

  // Clients authenticate in frames of either kind. The URL of a recording or playlist gives access to it.
  private static let redaction = JSONRedaction(["url", "playlisturl", "hlsplaylisturl"])

  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    Self.redaction.text(payload, isUnderstood: isUnderstood)
  }

  private static func login(_ payload: UnsafeRawBufferPointer) throws(StreamError) -> Credentials {
    let message: StreamBody
    do throws(StreamError) {
      message = try StreamBody(Array(payload), "message")
    } catch {
      throw .authenticationMissing("the first message must authenticate: \(error.message)")
    }
    guard message.has("token") || message.has("user_details") else {
      throw .authenticationMissing("the first message must authenticate, with token and user_details")
    }
    guard let token = try message.string("token", max: StreamToken.sizeMax), !token.isEmpty else {
      throw .authenticationMissing("JWTAuth error: token is missing")
    }
    guard let user = try message.object("user_details") else {
      throw .input("user_details is a required field", field: "user_details")
    }
    _ = try user.requiredString("id")
    return Credentials(token: token, details: Baggage(StreamUserDetails(text: user.view.text)))
  }
}
