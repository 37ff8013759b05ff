/// The head of one MessagePack value, with the place of its bytes.
enum MessagePackItem {
  case null
  case bool(Bool)
  case unsigned(UInt64)
  case signed(Int64)
  case real(Double)
  case text(Range<Int>)
  case bytes(Range<Int>)
  case ext(Int8, Range<Int>)
  /// The number of elements that follow.
  case array(Int)
  /// The number of pairs that follow.
  case map(Int)
}

/// A cursor on MessagePack bytes. It checks every length against the bytes that are left, and allocates nothing.
struct MessagePackCursor {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  private var left: Int { bytes.count - position }

  /// Steps over the head of a value, and over the bytes of a scalar. Returns nil for bytes that are no MessagePack.
  mutating func next() -> MessagePackItem? {
    guard left > 0 else { return nil }
    let head = bytes[position]
    position += 1
    switch head {
    case 0x00...0x7f: return .unsigned(UInt64(head))
    case 0x80...0x8f: return map(Int(head & 0x0f))
    case 0x90...0x9f: return array(Int(head & 0x0f))
    case 0xa0...0xbf: return run(Int(head & 0x1f)).map { .text($0) }
    case 0xc0: return .null
    case 0xc2: return .bool(false)
    case 0xc3: return .bool(true)
    case 0xc4...0xc6: return length(bytes: 1 << Int(head - 0xc4)).flatMap { run($0) }.map { .bytes($0) }
    case 0xc7...0xc9: return length(bytes: 1 << Int(head - 0xc7)).flatMap { ext($0) }
    case 0xca: return number(bytes: 4).map { .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))) }
    case 0xcb: return number(bytes: 8).map { .real(Double(bitPattern: $0)) }
    case 0xcc...0xcf: return number(bytes: 1 << Int(head - 0xcc)).map { .unsigned($0) }
    case 0xd0...0xd3:
      let size = 1 << Int(head - 0xd0)
      // The sign is the first bit of the shorter number.
      return number(bytes: size).map { .signed(Int64(bitPattern: $0 << UInt64(64 - 8 * size)) >> Int64(64 - 8 * size)) }
    case 0xd4...0xd8: return ext(1 << Int(head - 0xd4))
    case 0xd9...0xdb: return length(bytes: 1 << Int(head - 0xd9)).flatMap { run($0) }.map { .text($0) }
    case 0xdc, 0xdd: return length(bytes: head == 0xdc ? 2 : 4).flatMap { array($0) }
    case 0xde, 0xdf: return length(bytes: head == 0xde ? 2 : 4).flatMap { map($0) }
    case 0xe0...0xff: return .signed(Int64(Int8(bitPattern: head)))
    // 0xc1 is never used.
    default: return nil
    }
  }

  private mutating func number(bytes count: Int) -> UInt64? {
    guard left >= count else { return nil }
    var number: UInt64 = 0
    for byte in bytes[position..<position + count] { number = number << 8 | UInt64(byte) }
    position += count
    return number
  }

  private mutating func length(bytes count: Int) -> Int? { number(bytes: count).flatMap { Int(exactly: $0) } }

  private mutating func run(_ count: Int) -> Range<Int>? {
    guard count <= left else { return nil }
    defer { position += count }
    return position..<position + count
  }

  private mutating func ext(_ count: Int) -> MessagePackItem? {
    guard let type = number(bytes: 1) else { return nil }
    return run(count).map { .ext(Int8(truncatingIfNeeded: type), $0) }
  }

  // Each element has at least one byte.
  private func array(_ count: Int) -> MessagePackItem? { count <= left ? .array(count) : nil }
  private func map(_ count: Int) -> MessagePackItem? { count <= left / 2 ? .map(count) : nil }
}
