import GatewayCore
import GatewayJSON
import GatewayTokens

@testable import GatewayPlain
@testable import GatewaySendbird
@testable import GatewaySinch
@testable import GatewayStream
@testable import GatewayStreem

/// The messages of each dialect, on the gateway's side and on the client's, and the forms that only one dialect has.
enum DialectTargets {
  static let all = [
    FuzzTarget("dialect-plain") { try both(PlainDialect(), PlainClientDialect(), $0) },
    FuzzTarget("dialect-sendbird") {
      try both(
        SendbirdDialect(SendbirdSettings(apiToken: Credentials(token: "secret"))),
        SendbirdClientDialect(applicationID: "APP"), $0)
    },
    FuzzTarget("dialect-sinch") {
      try both(SinchDialect(SinchSettings(applications: SinchApplications([]))), SinchClientDialect(), $0)
    },
    FuzzTarget("dialect-stream") {
      try both(StreamDialect(.video), StreamVideoClientDialect(.javascript, apiKey: "key"), $0)
    },
    FuzzTarget("dialect-streem") { try both(StreemDialect(home: "home"), StreemClientDialect(), $0) },
    FuzzTarget("protobuf", protobuf), FuzzTarget("multipart", multipart),
  ]

  private static let now = WallTime(seconds: 1_800_000_000)

  /// The rows that dialects keep, each read and written again.
  static let rows: [@Sendable ([UInt8]) throws -> Void] = [
    { try RecordTargets.row(CallRow.self, $0) }, { try RecordTargets.row(MemberRow.self, $0) },
    { try RecordTargets.row(GuestNames.self, $0) }, { try RecordTargets.row(SendbirdChannelRow.self, $0) },
    { try RecordTargets.row(SendbirdMemberRow.self, $0) }, { try RecordTargets.row(SendbirdSessionRow.self, $0) },
    { try RecordTargets.row(StreamCallRow.self, $0) },
  ]

  private static func both(_ server: some Dialect, _ client: some ClientDialect, _ bytes: [UInt8]) throws {
    decode(server, [bytes])
    hear(client, [bytes])
    let text = String(decoding: bytes, as: UTF8.self)
    let upgrade = HTTPRequest(
      method: "GET", path: server.socketPath ?? "/", query: QueryString.parameters(of: Substring(text)) ?? [],
      headers: [HTTPField("authorization", text), HTTPField("sec-websocket-protocol", text)])
    _ = (server.accepts(upgrade), server.application(in: upgrade), server.subprotocol(for: upgrade))
    _ = (try? server.credentials(in: upgrade), server.details(of: upgrade), server.owns(path: text))
  }

  /// Gives messages to the gateway's side of a dialect.
  static func decode(_ dialect: some Dialect, _ messages: [[UInt8]]) {
    let upgrade = HTTPRequest(method: "GET", path: dialect.socketPath ?? "/")
    for isLoggedIn in [false, true] {
      let context = DialectContext(connection: ConnectionID(loop: 0, serial: 1), isLoggedIn: isLoggedIn, now: now)
      let conversation = dialect.conversation(for: upgrade)
      for message in messages {
        for kind in [Frame.Kind.text, .binary] {
          message.withUnsafeBytes { _ = try? dialect.decode($0, kind, context) }
        }
        guard let conversation else { continue }
        _ = message.withUnsafeBytes { conversation.foresee($0, context) }
        for one in message.withUnsafeBytes({ conversation.messages(in: $0) }) {
          if conversation.decode(one, context) == nil { _ = conversation.answer(to: one, context) }
        }
      }
    }
  }

  /// Gives messages and answers to the client's side of a dialect.
  static func hear(_ dialect: some ClientDialect, _ messages: [[UInt8]]) {
    let identity = ClientIdentity(user: UserID("ann"), number: 1, message: 1, now: now)
    let memory = dialect.memory(of: identity)
    for message in messages {
      for kind in [Frame.Kind.text, .binary] {
        message.withUnsafeBytes { payload in
          for phase in [nil, ClientPhase.loggingIn, .live, .refreshing] {
            dialect.hear(payload, kind, by: { (phase, identity) }, memory) { _ in }
          }
        }
      }
      for status in [200, 400] {
        let response = HTTPResponse(
          status: status, headers: [HTTPField("content-type", "application/json")], body: message)
        _ = (dialect.token(in: response), dialect.key(in: response), dialect.heed(response, of: identity, memory))
      }
      if let end = dialect.end(of: Credentials(token: "e30.\(Base64URL.encode(message)).c2ln")) { _ = end - now }
      dialect.heardEnd(UInt16(message.count & 0xffff), String(decoding: message, as: UTF8.self), of: { identity })
    }
  }

  // MARK: Forms of one dialect

  static func protobuf(_ bytes: [UInt8]) throws {
    for format in [StreamSignalFormat.protobuf, .json] {
      decode(StreamSFUDialect(format, policy: StreamSFUPolicy()), [bytes])
    }
    bytes.withUnsafeBytes { payload in
      _ = try? StreamSignalRequest.read(protobuf: payload)
      _ = try? StreamSignalRequest.read(json: payload)
    }
  }

  /// The first line is the body's media type.
  static func multipart(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let type = String(decoding: parts[0], as: UTF8.self)
    let body = Array(parts.count == 2 ? parts[1] : [])
    guard let boundary = SendbirdMultipart.boundary(of: type) else { return }
    if let read = SendbirdMultipart(body, boundary: boundary) {
      try hold(read.parts.reduce(0) { $0 + $1.bytes.count } <= body.count, "parts longer than the body")
    }
    let request = HTTPRequest(method: "POST", path: "/", headers: [HTTPField("content-type", type)], body: body)
    guard let form = SendbirdForm(request) else { return }
    let json = form.json
    // A text with NUL is JSON too, and refused as a value.
    if body.contains(0) { return }
    try hold(
      (try? JSONDocument.parse(json, sizeMax: 1 << 22, depthMax: 64)) != nil,
      "no JSON: \(String(decoding: json, as: UTF8.self))")
  }
}
