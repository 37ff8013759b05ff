internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// A question to the backend, as the body of a request: the JSON of Centrifugo's proxy, with more members.
struct HookQuestion {
  let hook: Hook
  let connection: ConnectionID
  let dialect: String
  let address: String
  /// Nil before the user is known.
  var user: UserID?
  var kind: UserKind?
  /// The verified token; nil if none has been verified.
  var token: VerifiedToken?
  /// The token as the client has presented it; nil if the backend does not get it.
  var presented: String?
  /// Whether the answer may name another user than the token.
  var mayRename = false
  /// The data that the client sent when it connected.
  var data: ClientData?
  /// The backend's `info` of an earlier answer, as JSON.
  var meta: String?
  /// When the session ends; nil for never.
  var expiresAt: WallTime?
  var command: (label: String, channel: String)?
  /// The trace that goes on with the question; nil for none.
  var trace: TraceContext?

  /// A longer issuer or `jti` of a token is left out.
  private static let nameMax = 1_024

  /// The question as the journal has it.
  var told: JournalQuestion {
    JournalQuestion(to: hook.endpoint, trace?.trace, about: user, at: connection, speaking: dialect)
  }

  /// The question as faults have it.
  var about: OutboundQuestion {
    OutboundQuestion(
      to: OutboundPlace(.hook, hook.rawValue), of: connection, speaking: dialect, about: user, kind,
      until: expiresAt ?? token?.expiresAt)
  }

  /// Returns why this question cannot have that answer; nil if it can. An answer can only narrow what a token gives.
  func objection(to answer: HookAnswer) -> String? {
    guard hook == .connect, case .accepted(let acceptance) = answer else { return nil }
    switch (token, acceptance.user) {
    case (_, .some("")), (_?, nil): return nil
    case (let token?, let user?):
      return mayRename || UserID(user) == token.user ? nil : "the answer names another user than the token"
    case (nil, nil): return "the answer names no user"
    case (nil, _): return nil
    }
  }

  var body: [UInt8] {
    JSONWriter.object(capacity: 512) { json in
      json.member("hook", hook.rawValue)
      json.member("client", connection.description)
      json.member("transport", "websocket")
      json.member("protocol", "json")
      json.member("encoding", "json")
      json.member("dialect", dialect)
      json.member("address", address)
      json.member("user", user?.rawValue ?? "")
      if let kind { json.member("kind", kind.rawValue) }
      writeToken(to: &json)
      if let data { write("data", data.json, to: &json) }
      if let meta { write("meta", meta, to: &json) }
      if let expiresAt { json.member("expires_at", Self.seconds(expiresAt)) }
      if let command {
        json.member("command", command.label)
        json.member("channel", command.channel)
      }
    }
  }

  private func writeToken(to json: inout JSONWriter) {
    let token = token.flatMap { $0.form == .none ? nil : $0 }
    guard token != nil || presented != nil else { return }
    json.member("token") { json in
      if let presented { json.member("value", presented) }
      guard let token else { return }
      if let issuer = token.issuer, issuer.text.utf8.count <= Self.nameMax { json.member("iss", issuer.text) }
      if let id = token.id, id.utf8.count <= Self.nameMax { json.member("jti", id) }
      json.member("fingerprint", token.fingerprint.description)
      if let end = token.expiresAt { json.member("expires_at", Self.seconds(end)) }
    }
  }

  private func write(_ name: StaticString, _ text: String, to json: inout JSONWriter) {
    json.name(name)
    json.raw(text)
  }

  private static func seconds(_ time: WallTime) -> Int64 { time.nanoseconds / 1_000_000_000 }
}
