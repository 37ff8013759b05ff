package import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// A described wire, the gateway's side. Each connection gets a `ServedConversation`, since messages depend on earlier
/// ones.
package struct ServedDialect: Dialect {
  let served: ServedWire
  let links = ServedLinks()
  private let secrets: Renewable<[String: String]>
  private let redaction: JSONRedaction
  /// Whether a token may be at a place that no member name reveals; such messages are hidden completely.
  private let hidesMessages: Bool

  /// Creates the dialect of a description alone. Throws if a gateway cannot play it.
  package init(_ wire: WireDescription, secrets: [String: String] = [:]) throws(DescriptionError) {
    self.init(try ServedWire(wire), secrets: secrets)
  }

  /// Creates the dialect of a reader, for which the wire need not say all that a gateway sends.
  package init(reading wire: WireDescription) throws(DescriptionError) {
    self.init(try ServedWire(reading: wire), secrets: [:])
  }

  init(_ served: ServedWire, secrets: [String: String]) {
    self.served = served
    self.secrets = Renewable(secrets)
    let said = served.wire.messages.flatMap(\.parts).filter(\.saysToken).map(\.tokenMembers)
    let places = said + served.wire.rules.filter { $0.verdict == .pushed }.map(\.tokenMembers)
    hidesMessages = places.contains { $0 == nil }
    redaction = JSONRedaction(Set(places.compactMap { $0 }.joined().map { Name($0) }))
  }

  /// Replaces the secrets for connections that are opened from now on.
  func takeSecrets(_ fresh: [String: String]) { secrets.take(Renewable(fresh)) }

  package var name: String { served.wire.name }

  package var socketPath: String? {
    served.wire.connect.path.literal.map { String(decoding: $0, as: UTF8.self) }
  }

  package func accepts(_ upgrade: HTTPRequest) -> Bool { served.accepts(upgrade) }

  package var renewal: RefreshHabit.How? { served.wire.habits.refresh.how }

  package func meaning(ofClose code: UInt16, _ text: String?) -> ReturnVerdict? {
    served.wire.habits.comeback?.verdict(of: Int(code), isHTTP: false, text, in: .live)?.verdict
  }

  package func owns(path: String) -> Bool { false }

  package var refusesBeforeUpgrade: Bool { !served.refusesInWords }

  package func subprotocol(for upgrade: HTTPRequest) -> String? {
    let known = served.wire.connect.subprotocols.compactMap { $0.literal.map { String(decoding: $0, as: UTF8.self) } }
    return ServedWire.offered(in: upgrade).first { offered in known.contains { $0.utf8.elementsEqual(offered.utf8) } }
  }

  /// Returns the token in the upgrade. If no message logs in, the upgrade contains all credentials.
  package func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? {
    guard served.chain.isEmpty else { return nil }
    if let token = served.token(in: upgrade) { return Credentials(token: token) }
    guard !refusesBeforeUpgrade else { throw .credentialsMissing.detailed("the upgrade carries no token") }
    return Credentials(token: "")
  }

  package func conversation(for upgrade: HTTPRequest) -> (any Conversation)? {
    ServedConversation(served, served.bindings(in: upgrade), secrets: secrets.value, links: links)
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? { nil }

  package func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? { nil }

  package func worded(_ frame: Frame) -> Frame { served.wire.frames.worded(frame) }

  package func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    guard !hidesMessages else { return nil }
    if served.wire.frames.encoding == .messagePack, MessagePack.mayBegin(payload) {
      guard let json = MessagePack.json(payload, .counted) else { return nil }
      return json.withUnsafeBytes { redaction.text($0, isUnderstood: isUnderstood) }
    }
    guard let start = payload.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) else {
      // A line without JSON: a ping or a word. An unknown one may be a token.
      return isUnderstood && payload.count <= Self.wordMax ? String(decoding: payload, as: UTF8.self) : nil
    }
    guard start <= (isUnderstood ? Self.wordMax : Self.strangeMax) else { return nil }
    let end = served.wire.frames.end
    var json = payload[start...]
    if !end.isEmpty, json.suffix(end.count).elementsEqual(end) { json = json.dropLast(end.count) }
    let text = redaction.text(UnsafeRawBufferPointer(rebasing: json), isUnderstood: isUnderstood)
    return text.map { String(decoding: payload[..<start], as: UTF8.self) + $0 }
  }

  private static let wordMax = 24
  /// The longest text before the JSON of an unknown message: `42` of Socket.IO, `MSG `.
  private static let strangeMax = 4

  package func closeReason(for reason: CloseReason) -> CloseReason {
    served.code(for: reason).flatMap { CloseReason(code: $0, name: reason.name) } ?? reason
  }

  package func response(for error: GatewayError) -> HTTPResponse {
    let status = error.httpStatus == 401 ? served.wire.statusOfRefusal ?? 401 : error.httpStatus
    return HTTPResponse(status: status, json: JSONWriter.object { $0.member("error", error.name) })
  }
}
