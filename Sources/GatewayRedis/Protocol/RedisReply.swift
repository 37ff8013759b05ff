internal import CHiredis

/// A reply of a Redis server, as RESP2 has it.
enum RedisReply: Hashable, Sendable {
  case bytes([UInt8])
  case integer(Int64)
  case null
  case status(String)
  /// The server's error, e.g. `NOSCRIPT No matching script.`
  case error(String)
  case array([RedisReply])

  /// The maximum number of levels of arrays in a reply that this program asks for, with room to spare.
  private static let depthMax = 4
  private static let errorBytesMax = 200

  /// Copies a parsed reply. Returns nil if it is of a kind that RESP2 does not have, or too deep.
  init?(_ reply: OpaquePointer, depth: Int = 0) {
    switch UInt32(bitPattern: postern_redis_reply_kind(reply)) {
    case postern_redis_text.rawValue: self = .bytes(Self.bytes(reply))
    case postern_redis_integer.rawValue: self = .integer(postern_redis_reply_integer(reply))
    case postern_redis_null.rawValue: self = .null
    case postern_redis_status.rawValue: self = .status(Self.text(reply))
    case postern_redis_error.rawValue: self = .error(Self.text(reply))
    case postern_redis_array.rawValue:
      guard depth < Self.depthMax else { return nil }
      var parts: [RedisReply] = []
      let count = postern_redis_reply_count(reply)
      parts.reserveCapacity(count)
      for index in 0..<count {
        guard let element = postern_redis_reply_element(reply, index),
          let part = RedisReply(element, depth: depth + 1)
        else { return nil }
        parts.append(part)
      }
      self = .array(parts)
    default: return nil
    }
  }

  /// Returns whether it is an error that begins with that word.
  func isError(_ code: String) -> Bool {
    guard case .error(let text) = self else { return false }
    return text.hasPrefix(code)
  }

  private static func bytes(_ reply: OpaquePointer) -> [UInt8] {
    var count = 0
    guard let start = postern_redis_reply_bytes(reply, &count) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns a line for an operator, cut short and without characters that a terminal must not receive.
  private static func text(_ reply: OpaquePointer) -> String {
    let shown = bytes(reply).prefix(errorBytesMax).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: shown, as: UTF8.self)
  }
}

/// A parser of the replies of one connection.
final class RedisParser {
  /// The maximum number of elements in all arrays of one reply: the rows of a page and their paths.
  static let elementsMax = 16_384
  /// The maximum number of bytes of one reply.
  static let replyBytesMax = 64 << 20

  private let handle: OpaquePointer
  /// The bytes that have arrived since the last complete reply.
  private var bytesOfReply = 0

  /// Creates a parser; nil without memory.
  init?() {
    guard let handle = postern_redis_parser_new(Self.elementsMax) else { return nil }
    self.handle = handle
  }

  deinit { postern_redis_parser_free(handle) }

  /// Adds received bytes. Returns false if the connection cannot go on.
  func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    bytesOfReply += bytes.count
    return postern_redis_feed(handle, start, bytes.count) == 0
  }

  /// A step of the parser.
  enum Step {
    case reply(RedisReply)
    case needsMore
    /// The received bytes are not a reply, or the reply is too large.
    case invalid
  }

  func next() -> Step {
    var found: OpaquePointer?
    guard postern_redis_next(handle, &found) == 0 else { return .invalid }
    guard let found else { return bytesOfReply > Self.replyBytesMax ? .invalid : .needsMore }
    defer { postern_redis_reply_free(found) }
    bytesOfReply = 0
    return RedisReply(found).map(Step.reply) ?? .invalid
  }
}
