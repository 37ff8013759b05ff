package import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// What a client says.

extension SendbirdDialect {
  /// The commands of the table that a client may send beside `LOGI` and `PING`: a `CommandHandler` does them.
  static let commands: Set<String> = [
    "MESG", "FILE", "MEDI", "FEDI", "READ", "MACK", "TPST", "TPEN", "ENTR", "EXIT", "VOTE",
  ]

  /// Those that say something of the moment: what a client says next need not wait for them.
  private static let passing: Set<String> = ["MACK", "TPST", "TPEN"]

  /// A command nobody knows is passed over unless it wants an answer. What cannot be read is never answered unless its
  /// `req_id` can: the strictest client logs out on an `EROR` it did not ask for.
  package func decode(
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

  /// What a command says whose JSON object, `text`, has been read.
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

  /// The name that a client gives its command: text, though one client counts in numbers; empty for none.
  private static func request(of message: JSONObject) -> RequestID? {
    if let text = try? message.string("req_id", bytes: 1...RequestID.lengthMax) { return RequestID(text) }
    let number = try? message.number("req_id")
    return number.flatMap { $0 }.flatMap { Int64(exactly: $0) }.map { RequestID(String($0)) }
  }

  /// The token of a refresh; nil if it is none. A user by name alone has none, and says so or leaves it out.
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

  /// A command that only says what is wrong: its answer needs the request's name, and a login.
  private static func refusal(
    _ error: SendbirdError, _ request: RequestID?
  ) throws(GatewayError) -> InboundMessage {
    guard let request else { throw .malformedMessage.detailed(error.message) }
    return .command(Command("EROR", error), request: request)
  }
}

extension JSONObject {
  /// The truth of a member that one client writes as a boolean, another as a number; nil if there is none.
  func flag(_ name: StaticString) -> Bool? {
    switch (try? verbatim(name, depth: 0)).flatMap({ $0 }) {
    case "true", "1", "\"1\"", "\"true\"": true
    case "false", "0", "\"0\"", "\"false\"": false
    default: nil
    }
  }

  /// Whether the member is there and null.
  func isNull(_ name: StaticString) -> Bool {
    (try? verbatim(name, depth: 0)).flatMap { $0 } == "null"
  }
}

private func ~= (names: Set<String>, name: String) -> Bool {
  names.contains(name)
}
