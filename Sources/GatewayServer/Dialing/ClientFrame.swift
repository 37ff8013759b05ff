/// The head of a WebSocket frame (RFC 6455 section 5.2) on the client's side. Frames that the client reads have no mask; frames
/// that it writes have one.
struct ClientFrame: Equatable {
  /// The opcode of a frame (RFC 6455 section 5.2).
  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  enum Reading: Equatable {
    case needsMore
    /// The frame is one that no server may send.
    case invalid
    case head(ClientFrame)
  }

  let opcode: Opcode
  let isFinal: Bool
  /// The sizes of the head and of the payload after it, in bytes.
  let headBytes: Int
  let payloadBytes: Int

  /// The longest head that is written: two bytes, eight of the length, four of the mask.
  static let headBytesMax = 14

  static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
    guard bytes.count >= 2 else { return .needsMore }
    let (first, second) = (bytes[0], bytes[1])
    // No extension was agreed on, for which the three bits would be, and servers do not mask.
    guard first & 0x70 == 0, second & 0x80 == 0, let opcode = Opcode(rawValue: first & 0x0f) else { return .invalid }
    let isFinal = first & 0x80 != 0
    var length = Int(second)
    guard !opcode.isControl || isFinal && length <= 125 else { return .invalid }
    var head = 2
    if length == 126 {
      guard bytes.count >= 4 else { return .needsMore }
      length = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
      head = 4
    } else if length == 127 {
      guard bytes.count >= 10 else { return .needsMore }
      guard let long = Int(exactly: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))) else {
        return .invalid
      }
      length = long
      head = 10
    }
    return .head(ClientFrame(opcode: opcode, isFinal: isFinal, headBytes: head, payloadBytes: length))
  }

  /// Writes a whole frame to `buffer`, which has room for it; returns its length.
  static func write(
    _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, mask: UInt32, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    buffer[0] = 0x80 | opcode.rawValue
    var at = 2
    switch payload.count {
    case ...125: buffer[1] = 0x80 | UInt8(payload.count)
    case ...0xffff:
      buffer[1] = 0x80 | 126
      buffer.storeBytes(of: UInt16(payload.count).bigEndian, toByteOffset: 2, as: UInt16.self)
      at = 4
    default:
      buffer[1] = 0x80 | 127
      buffer.storeBytes(of: UInt64(payload.count).bigEndian, toByteOffset: 2, as: UInt64.self)
      at = 10
    }
    buffer.storeBytes(of: mask, toByteOffset: at, as: UInt32.self)
    at += 4
    let wide = UInt64(mask) << 32 | UInt64(mask)
    var done = 0
    while done + 8 <= payload.count {
      let word = payload.loadUnaligned(fromByteOffset: done, as: UInt64.self) ^ wide
      buffer.storeBytes(of: word, toByteOffset: at + done, as: UInt64.self)
      done += 8
    }
    while done < payload.count {
      buffer[at + done] = payload[done] ^ UInt8(truncatingIfNeeded: mask >> (8 * UInt32(done & 3)))
      done += 1
    }
    return at + payload.count
  }
}
