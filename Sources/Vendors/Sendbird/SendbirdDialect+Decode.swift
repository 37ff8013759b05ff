internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The client's messages.

extension SendbirdDialect {
  /// The commands that a client may send besides `LOGI` and `PING`; a `CommandHandler` performs them.
  static let commands: Set<String> = [
    "MESG", "FILE", "MEDI", "FEDI", "READ", "MACK", "TPST", "TPEN", "ENTR", "EXIT", "VOTE",
  ]

  /// Commands about the present moment, for which later ones need not wait.
  private static let passing: Set<String> = ["MACK", "TPST", "TPEN"]

  /// Decodes a command. An unknown command is ignored unless it expects an answer. An unreadable one is answered only
  /// if its `req_id` can be read: the strictest client logs out on an `EROR` that it did not request.
  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    guard let frame = SendbirdFrame(payload) else { throw .malformedMessage }
    let body = UnsafeRawBufferPointer(rebasing: payload[frame.body])
    let message: JSONObject
    do throws(JSONError) {
      message = try JSONObject(body)
    } catch {
      guard let mended = SendbirdEscapes.mended(body) else { throw .malformedMessage.detailed(error.description) }
      return try mended.span.bytes.withUnsafeBytes { (bytes) throws(GatewayError) in
        guard let message = try? JSONObject(bytes) else { throw .malformedMessage.detailed(error.description) }
        return try Self.meaning(of: frame, message, bytes, kind)
      }
    }
    return try Self.meaning(of: frame, message, body, kind)
  }

  /// Returns the meaning of a command with its parsed JSON object, `text`.
  private static func meaning(
    of frame: SendbirdFrame, _ message: JSONObject, _ text: UnsafeRawBufferPointer, _ kind: Frame.Kind
  ) throws(GatewayError) -> InboundMessage? {
    let request = request(of: message)
    if kind == .binary || frame.isFollowed {
      let what = kind == .binary ? "a binary message" : "several commands in one message"
      return try refusal(.unacceptable.detailed("This is \(what)."), request)
    }
    switch frame.name {
    case "PING":
      return .ping(request: request)
    case "LOGI":
      guard let credentials = credentials(in: message) else {
        return try refusal(.notString("token"), request)
      }
      return .credentials(credentials, request: request)
    case commands:
      let command = SendbirdCommand(frame.name, Array(text))
      return .command(
        Command(frame.name, command, mayOverlap: Self.passing.contains(frame.name)), request: request)
    default:
      return request == nil ? nil : try refusal(.noEndpoint, request)
    }
  }

  /// Returns the client's id of its command: text, although one client uses numbers; empty for none.
  private static func request(of message: JSONObject) -> RequestID? {
    if let text = try? message.string("req_id", bytes: 1...RequestID.lengthMax) { return RequestID(text) }
    let number = try? message.number("req_id")
    return number.flatMap { $0 }.flatMap { Int64(exactly: $0) }.map { RequestID(String($0)) }
  }

  /// Returns the token of a refresh; nil if it is not one. A user by name alone has no token, and writes `null` or
  /// nothing.
  private static func credentials(in message: JSONObject) -> Credentials? {
    let token: String
    do throws(GatewayError) {
      token = try message.string("token") ?? ""
    } catch {
      guard message.isNull("token") else { return nil }
      token = ""
    }
    let details = message.flag("expiring_session").map { Baggage(SendbirdDetails(isExpiring: $0)) }
    return Credentials(token: SendbirdWire.meant(token) ?? "", details: details)
  }

  /// Returns a command that contains only an error: its answer needs the request id and a login.
  private static func refusal(
    _ error: SendbirdError, _ request: RequestID?
  ) throws(GatewayError) -> InboundMessage {
    guard let request else { throw .malformedMessage.detailed(error.message) }
    return .command(Command("EROR", error), request: request)
  }
}

extension JSONObject {
  /// Returns a boolean that one client writes as such, another as a number; nil if there is none.
  func flag(_ name: StaticString) -> Bool? {
    switch (try? verbatim(name, depth: 0)).flatMap({ $0 }) {
    case "true", "1", "\"1\"", "\"true\"": true
    case "false", "0", "\"0\"", "\"false\"": false
    default: nil
    }
  }

  /// Returns whether the member exists and is null.
  func isNull(_ name: StaticString) -> Bool {
    (try? verbatim(name, depth: 0)).flatMap { $0 } == "null"
  }
}

private func ~= (names: Set<String>, name: String) -> Bool {
  names.contains(name)
}
