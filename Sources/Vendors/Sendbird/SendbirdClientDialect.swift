internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Sendbird's wire format, the client's side.
struct SendbirdClientDialect: ClientDialect {
  let name = "sendbird"
  let kind: SendbirdSDK
  let upgradeTarget = "/"
  let applicationID: String
  let apiToken: Credentials?
  let provider = TokenProviderClient(scheme: "sendbird")

  /// Creates the dialect of an SDK's clients.
  ///
  /// - Parameters:
  ///   - applicationID: The application that clients name in `ai` and `App-Id`.
  ///   - apiToken: The `Api-Token` with which tokens are requested from the Platform API; without one they are
  ///     requested from the gateway's own provider.
  init(_ kind: SendbirdSDK = .javascript, applicationID: String, apiToken: Credentials? = nil) {
    self.kind = kind
    self.applicationID = applicationID
    self.apiToken = apiToken
  }

  var sdk: String? { kind.rawValue }
  var habits: ClientHabits { kind.habits }

  // MARK: Connecting

  func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    var request = HTTPRequest(
      method: "GET", path: upgradeTarget,
      query: [
        HTTPField("p", kind.platform), HTTPField("pv", "noAgent"), HTTPField("sv", kind.version),
        HTTPField("ai", applicationID),
      ])
    if client.key == nil || kind == .unity { request.query.append(HTTPField("user_id", client.user.rawValue)) }
    request.query += [
      HTTPField("SB-User-Agent", "\(kind.platform)/c\(kind.version)///oweb"),
      HTTPField("include_extra_data", "premium_feature_list,file_upload_size_limit,application_attributes,emoji_hash"),
      HTTPField("expiring_session", "1"),
    ]
    var subprotocols: [String] = []
    switch kind {
    case .javascript:
      request.query += [HTTPField("active", "1"), HTTPField("pmce", "1"), sentAt(client)]
      subprotocols = [subprotocol(client)]
    case .javascript3:
      let credentials = client.key.map { HTTPField("key", $0.token) }
      request.query += [
        HTTPField("active", "1"), sentAt(client),
        credentials ?? HTTPField("access_token", client.token?.token ?? "null"),
      ]
    case .unity:
      if let token = client.token { request.headers.append(HTTPField("sendbird-ws-token", token.token)) }
      if let key = client.key { request.headers.append(HTTPField("sendbird-ws-auth", key.token)) }
    }
    return ClientUpgrade(request, subprotocols: subprotocols)
  }

  private func sentAt(_ client: ClientIdentity) -> HTTPField {
    HTTPField("Request-Sent-Timestamp", String(client.now.nanoseconds / 1_000_000))
  }

  /// Returns the credentials as JSON, percent-encoded so that they are a token of RFC 9110.
  private func subprotocol(_ client: ClientIdentity) -> String {
    let json = JSONWriter.object { json in
      if let key = client.key {
        json.member("auth", key.token)
      } else if let token = client.token {
        json.member("token", token.token)
      }
    }
    return PercentEncoding.encode(String(decoding: json, as: UTF8.self))
  }

  // MARK: Sending

  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    switch message {
    // The upgrade contains the credentials; the gateway sends the first message.
    case .connect: nil
    case .refresh(let credentials): refresh(credentials, client)
    case .ping: ping(client)
    case .garbage, .cued: Frame(text: "LOGI{\"token\":\n")
    }
  }

  private func refresh(_ credentials: Credentials, _ client: ClientIdentity) -> Frame {
    SendbirdFrame.command("LOGI", capacity: 128 + credentials.token.utf8.count) { json in
      json.member("token", credentials.token)
      if kind == .unity { json.member("expiring_session", true) } else { json.member("expiring_session", 1) }
      json.member("req_id", ClientUUID.text(client.number, client.message))
    }
  }

  private func ping(_ client: ClientIdentity) -> Frame {
    SendbirdFrame.command("PING") { json in
      if kind == .unity { return json.member("active", true) }
      json.member("id", client.now.nanoseconds / 1_000_000)
      json.member("active", 1)
      json.member("req_id", kind == .javascript ? ClientUUID.text(client.number, client.message) : "")
    }
  }

  // MARK: Receiving

  func decode(_ payload: UnsafeRawBufferPointer, _ frameKind: Frame.Kind) -> ServerNotice? {
    guard frameKind == .text, let frame = SendbirdFrame(payload),
      let body = try? JSONObject(UnsafeRawBufferPointer(rebasing: payload[frame.body]))
    else { return nil }
    switch frame.name {
    case "PONG": return .alive
    case "LOGI": return login(body)
    // Without a request id every SDK except Flutter's ignores it.
    case "EROR": return body.has("req_id") ? Self.error(body) : nil
    case "EXPR": return sessionEvent(body)
    case "BUSY" where kind == .javascript:
      return number(body, "retry_after").map { .busy(retryAfter: .seconds($0)) }
    default: return nil
    }
  }

  private func login(_ body: JSONObject) -> ServerNotice? {
    if let error = Self.error(body) { return error }
    if let key = try? body.string("new_key", bytes: 1...Int.max) { return .keyRenewed(Credentials(token: key)) }
    guard let key = try? body.string("key", bytes: 1...Int.max) else { return nil }
    var welcome = Welcome()
    welcome.key = Credentials(token: key)
    welcome.pingInterval = number(body, "ping_interval").map { .seconds(max(1, $0)) }
    welcome.pongTimeout = number(body, "pong_timeout").map { .seconds(max(1, $0)) }
    if let reconnect = body["reconnect"], let first = reconnect["interval"]?.number,
      let cap = reconnect["max_interval"]?.number, let factor = reconnect["mul"]?.number
    {
      let tries = reconnect["retry_cnt"]?.integer.flatMap { $0 < 0 ? nil : Int($0) }
      welcome.schedule = .growing(
        first: .milliseconds(Int64(Self.bounded(first) * 1000)), factor: min(max(1, factor), 1000),
        cap: .milliseconds(Int64(Self.bounded(cap) * 1000)), tries: tries)
    }
    return .connected(nil, welcome)
  }

  private func sessionEvent(_ body: JSONObject) -> ServerNotice? {
    if kind == .javascript, let end = try? body.number("expires_in"), end < 0 { return nil }
    switch (try? body.number("reason")).map({ Int(exactly: $0) ?? 0 }) {
    case nil, SendbirdError.sessionExpired.code: return .refreshRequired(timeout: nil, with: .anyToken)
    case SendbirdError.accessTokenInvalid.code: return .refreshRequired(timeout: nil, with: .newToken)
    case SendbirdError.sessionRevoked.code: return .sessionClosed(name: Self.name(SendbirdError.sessionRevoked.code))
    case SendbirdError.userDeactivated.code where kind != .javascript3:
      return .sessionClosed(name: Self.name(SendbirdError.userDeactivated.code))
    default: return nil
    }
  }

  private static func error(_ body: JSONObject) -> ServerNotice? {
    guard body.has("error"), let code = try? body.number("code"), let number = Int(exactly: code) else { return nil }
    return .error(number: number, name: name(number))
  }

  /// Reads a bounded whole number.
  private func number(_ body: JSONObject, _ name: StaticString) -> Int64? {
    (try? body.number(name)).map { Int64(Self.bounded($0)) }
  }

  private static func bounded(_ seconds: Double) -> Double { seconds.isFinite ? min(max(0, seconds), 86_400) : 0 }

  private static func name(_ number: Int) -> String { names[number].map { "\(number) \($0)" } ?? "\(number)" }

  private static let names = [
    SendbirdError.userDeactivated.code: "user_deactivated", SendbirdError.userNotFound.code: "user_not_found",
    SendbirdError.accessTokenInvalid.code: "token_invalid", SendbirdError.sessionKeyInvalid.code: "key_invalid",
    SendbirdError.sessionExpired.code: "session_expired", SendbirdError.sessionRevoked.code: "session_revoked",
    SendbirdError.tooManyConnectionsOfUser.code: "too_many_connections",
  ]
}
