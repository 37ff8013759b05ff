internal import GatewayCore
internal import GatewayJSON

/// A command on the wire: four capital letters, a JSON object and a line feed, one in each text message, e.g.
/// `PING{"id":1}`.
struct SendbirdFrame: Hashable, Sendable {
  /// The four letters.
  let name: String
  /// The range of the JSON object in the message.
  let body: Range<Int>
  /// Whether another command follows in the same message, which no client sends and some cannot read.
  let isFollowed: Bool

  /// Reads the command at the start of `payload`; fails unless it has the form of one.
  init?(_ payload: UnsafeRawBufferPointer) {
    guard payload.count >= 6, payload[..<4].allSatisfy({ $0 &- UInt8(ascii: "A") < 26 }) else { return nil }
    let lineEnd = payload.firstIndex(of: UInt8(ascii: "\n")) ?? payload.count
    name = String(decoding: payload[..<4], as: UTF8.self)
    let isFollowed = payload[lineEnd...].contains { $0 > 0x20 }
    // A line feed may also occur between the members of a JSON text.
    self.isFollowed = isFollowed && Self.isCommand(payload[lineEnd...])
    body = 4..<(self.isFollowed ? lineEnd : payload.count)
  }

  private static func isCommand(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
    let text = rest.drop { $0 <= 0x20 }
    return text.prefix(4).count == 4 && text.prefix(4).allSatisfy { $0 &- UInt8(ascii: "A") < 26 }
  }

  // MARK: Writing

  /// Returns a command whose JSON object has the members that `body` writes, after `req_id` if `request` is given.
  static func command(
    _ name: StaticString, _ request: RequestID? = nil, capacity: Int = 128, _ body: (inout JSONWriter) -> Void
  ) -> Frame {
    var json = JSONWriter(prefix: name, capacity: capacity)
    json.beginObject()
    if let request { json.member("req_id", request.rawValue) }
    body(&json)
    json.endObject()
    json.lineFeed()
    return Frame(.text, json.bytes)
  }

  /// Returns a command with the JSON text `object`, which has at least one member; after `req_id` if `request` is
  /// given.
  static func command(_ name: StaticString, _ request: RequestID? = nil, object: String) -> Frame {
    var json = JSONWriter(prefix: name, capacity: object.utf8.count + 64)
    json.beginObject()
    if let request { json.member("req_id", request.rawValue) }
    json.raw(String(object.dropFirst().dropLast()))
    json.endObject()
    json.lineFeed()
    return Frame(.text, json.bytes)
  }

  /// Returns `EROR`: the request with that id failed. There is none without a request, since Flutter logs out on it.
  /// The time is required: without it a client on iOS cannot decode the error.
  static func error(_ error: SendbirdError, _ request: RequestID, at now: WallTime) -> Frame {
    command("EROR", request) { json in
      error.write(to: &json)
      json.member("ts", now.milliseconds)
    }
  }

  /// Returns `EXPR`, an event of the session, with the time until it. In whole seconds, never below 0, since Flutter
  /// then ends the session.
  static func sessionEvent(reason: SendbirdError, expiresIn: Duration? = nil) -> Frame {
    command("EXPR") { json in
      if let expiresIn { json.member("expires_in", max(0, (expiresIn.milliseconds + 500) / 1_000)) }
      json.member("reason", Int64(reason.code))
    }
  }
}
