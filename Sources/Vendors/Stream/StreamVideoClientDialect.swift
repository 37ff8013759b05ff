internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Stream's wire format, the client's side: a Video client of one of the SDKs.
struct StreamVideoClientDialect: ClientDialect {
  let name = "stream-video"
  let kind: StreamVideoSDK
  private let apiKey: String
  private let provider: TokenProviderClient

  /// Creates the dialect of an SDK's clients.
  ///
  /// - Parameter providerSecret: The secret that the token provider requires as `Authorization: Bearer`, if any. Stream
  ///   has no provider: tokens come from the application, which the gateway's provider replaces.
  init(_ kind: StreamVideoSDK = .javascript, apiKey: String, providerSecret: Credentials? = nil) {
    self.kind = kind
    self.apiKey = apiKey
    provider = TokenProviderClient(secret: providerSecret, scheme: "stream-video")
  }

  var sdk: String? { kind.rawValue }
  var habits: ClientHabits { kind.habits }
  /// The gateway's own 4001 never appears on this wire: a client that does not log in is closed with 1000.
  var closeNames: [UInt16: String] {
    CloseReason.names.merging([StreamExpiry().closeCode: "token_expired"], uniquingKeysWith: { _, own in own })
  }
  var upgradeTarget: String { kind == .python ? "/api/v2/connect" : "/video/connect" }

  func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    var request = HTTPRequest(method: "GET", path: upgradeTarget, query: [HTTPField("api_key", apiKey)])
    switch kind {
    case .javascript, .swift, .flutter:
      request.query += [HTTPField("stream-auth-type", "jwt"), HTTPField("X-Stream-Client", kind.clientName)]
    case .python:
      request.query.append(HTTPField("stream-auth-type", "jwt"))
    case .android:
      request.headers = [
        HTTPField("stream-auth-type", "jwt"), HTTPField("x-stream-client", kind.clientName),
        HTTPField("authorization", client.token?.token ?? ""),
      ]
    }
    return ClientUpgrade(request)
  }

  // MARK: Sending

  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    switch message {
    case .connect(let credentials): connect(credentials, client.user)
    // An open socket cannot get a new token.
    case .refresh: nil
    case .ping: ping(client)
    case .garbage, .cued: Frame(text: #"{"token":"#)
    }
  }

  private func connect(_ credentials: Credentials, _ user: UserID) -> Frame {
    let payload = JSONWriter.object(capacity: 128 + credentials.token.utf8.count) { json in
      json.member("token", credentials.token)
      json.member("user_details") { details in
        details.member("id", user.rawValue)
        if kind == .swift { details.member("custom") { _ in } }
      }
      if kind == .javascript || kind == .python { json.member("products", strings: ["video"]) }
    }
    return Frame(kind == .swift ? .binary : .text, payload)
  }

  /// Returns the health check in the SDK's form; Swift's is a ping of RFC 6455.
  private func ping(_ client: ClientIdentity) -> Frame? {
    switch kind {
    case .swift: nil
    case .javascript: healthCheck("\(client.user)--\(ClientUUID.text(client.number, 0))", isArray: true)
    case .flutter: healthCheck(client.connection ?? "", isArray: true)
    case .python: healthCheck(client.connection ?? "", isArray: false)
    case .android: client.greeting.map { Frame(text: $0) }
    }
  }

  private func healthCheck(_ clientID: String, isArray: Bool) -> Frame {
    var json = JSONWriter(capacity: 96)
    if isArray { json.beginArray() }
    json.beginObject()
    json.member("type", "health.check")
    json.member("client_id", clientID)
    json.endObject()
    if isArray { json.endArray() }
    return Frame(.text, json.bytes)
  }

  // MARK: Receiving

  func decode(_ payload: UnsafeRawBufferPointer, _ frameKind: Frame.Kind) -> ServerNotice? {
    guard frameKind == .text, let message = try? JSONObject(payload) else { return nil }
    switch try? message.string("type") {
    case "health.check":
      // Chat's answer to a login is one too; it alone has the user.
      guard message.has("me"), let connection = try? message.string("connection_id", bytes: 1...Int.max) else {
        return .alive
      }
      var welcome = Welcome()
      welcome.connection = connection
      return .connected(nil, welcome)
    case "connection.ok":
      guard let connection = try? message.string("connection_id", bytes: 1...Int.max) else { return nil }
      var welcome = Welcome()
      welcome.connection = connection
      if kind == .android { welcome.greeting = String(decoding: payload, as: UTF8.self) }
      return .connected(nil, welcome)
    case "connection.error":
      guard let code = message["error"]?["code"]?.integer, let number = Int(exactly: code) else { return nil }
      return .error(number: number, name: Self.names[number].map { "\(number) \($0)" } ?? "\(number)")
    default:
      return nil
    }
  }

  /// The codes with which a login may be refused.
  private static let names = [
    2: "access_key", 4: "input", 5: "authentication", 9: "rate_limit", 16: "does_not_exist", 17: "not_allowed",
    40: "token_expired", 41: "token_not_valid_yet", 42: "token_used_before_issued", 43: "token_signature_invalid",
  ]

  // MARK: Tokens

  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    provider.request(for: user, life: life)
  }

  func token(in response: HTTPResponse) -> Credentials? { provider.token(in: response) }
}
