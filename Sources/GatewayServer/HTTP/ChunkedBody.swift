internal import GatewayCore

/// A chunked body (RFC 9112 section 7.1), decoded as it arrives, to the end of its trailer fields, which are ignored.
///
/// Each line must end with carriage return and line feed. If two readers disagree about a line's end, requests can be smuggled.
struct ChunkedBody {
  private enum State {
    case size
    case data(left: Int)
    /// The line end after a chunk's data; says whether the carriage return has arrived.
    case dataEnd(hasReturn: Bool)
    case trailer
  }

  private(set) var bytes: [UInt8] = []
  private var bytesMax: Int
  private var state = State.size
  /// The line that has begun: a chunk's size, or a trailer field.
  private var line: [UInt8] = []
  private var trailerBytes = 0
  /// The number of bytes of the piece that was too long, up to the chunk above the limit.
  private var usedWithinLimit = 0
  /// The maximum number of bytes of a chunk's size with its extensions; no usual client sends more.
  private static let lineBytesMax = 256
  private static let trailerBytesMax = 8192

  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Takes out the decoded bytes, which then count no more towards the limit.
  mutating func takeBytes() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  /// Removes the limit, after the body was too long. The next byte is the one behind the size of the chunk that was above it.
  /// Returns how many bytes of the last piece were used.
  mutating func goOnWithoutLimit() -> Int {
    bytesMax = .max
    return usedWithinLimit
  }

  mutating func append(_ piece: UnsafeRawBufferPointer) -> RequestBody.Step {
    var rest = piece[...]
    while let byte = rest.first {
      switch state {
      case .data(let left):
        let count = min(left, rest.count)
        bytes.append(contentsOf: rest.prefix(count))
        rest = rest.dropFirst(count)
        state = count == left ? .dataEnd(hasReturn: false) : .data(left: left - count)
        continue
      case .dataEnd(let hasReturn):
        guard byte == (hasReturn ? 0x0a : 0x0d) else { return .malformed }
        state = hasReturn ? .size : .dataEnd(hasReturn: true)
      case .size:
        if let step = sizeByte(byte) {
          usedWithinLimit = rest.startIndex + 1
          return step
        }
      case .trailer:
        switch trailerByte(byte) {
        case true: return .complete(used: rest.startIndex + 1)
        case false: break
        case nil: return .malformed
        }
      }
      rest = rest.dropFirst()
    }
    return .needsMore
  }

  /// Reads another byte of the line with the next chunk's size. Returns nil to continue.
  private mutating func sizeByte(_ byte: UInt8) -> RequestBody.Step? {
    guard byte == 0x0a else {
      line.append(byte)
      return line.count <= Self.lineBytesMax ? nil : .malformed
    }
    guard let size = takeSize() else { return .malformed }
    state = size == 0 ? .trailer : .data(left: size)
    return size <= bytesMax - bytes.count ? nil : .tooLong
  }

  /// Reads another byte of the trailer. Returns whether it is the last; nil if the trailer is invalid.
  private mutating func trailerByte(_ byte: UInt8) -> Bool? {
    trailerBytes += 1
    guard trailerBytes <= Self.trailerBytesMax else { return nil }
    guard byte == 0x0a else {
      line.append(byte)
      return false
    }
    guard line.popLast() == 0x0d, !line.contains(0x0d) else { return nil }
    defer { line.removeAll(keepingCapacity: true) }
    return line.isEmpty
  }

  /// Returns the size in the line. Only extensions may follow it.
  private mutating func takeSize() -> Int? {
    guard line.popLast() == 0x0d else { return nil }
    let digits = line.prefix(while: \.isHexDigit)
    let rest = line[digits.endIndex...]
    let extensions = rest.drop { $0 == 0x20 || $0 == 0x09 }
    defer { line.removeAll(keepingCapacity: true) }
    guard (1...15).contains(digits.count), extensions.isEmpty ? rest.isEmpty : extensions.first == UInt8(ascii: ";"),
      rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
    else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
