/// Takes a chunked body (RFC 9112 section 7.1) apart as it comes. Trailer fields are not looked at: the connection
/// carries nothing after them.
struct ChunkedBody {
  enum Step: Equatable {
    case needsMore
    case complete
    case tooLong
    case malformed
  }

  private enum State {
    case size
    case data(left: Int)
    /// The line end behind a chunk's data.
    case dataEnd
  }

  private(set) var bytes: [UInt8] = []
  private let bytesMax: Int
  private var state = State.size
  private var line: [UInt8] = []
  /// A chunk's size with its extensions; nobody sends more.
  private static let lineBytesMax = 256

  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  mutating func append(_ piece: UnsafeRawBufferPointer) -> Step {
    var rest = piece[...]
    while let byte = rest.first {
      switch state {
      case .data(let left):
        let count = min(left, rest.count)
        bytes.append(contentsOf: rest.prefix(count))
        rest = rest.dropFirst(count)
        state = count == left ? .dataEnd : .data(left: left - count)
      case .dataEnd:
        rest = rest.dropFirst()
        guard byte == 0x0a || byte == 0x0d else { return .malformed }
        if byte == 0x0a { state = .size }
      case .size:
        rest = rest.dropFirst()
        guard byte == 0x0a else {
          line.append(byte)
          guard line.count <= Self.lineBytesMax else { return .malformed }
          continue
        }
        guard let size = takeSize() else { return .malformed }
        guard size > 0 else { return .complete }
        guard size <= bytesMax - bytes.count else { return .tooLong }
        state = .data(left: size)
      }
    }
    return .needsMore
  }

  private mutating func takeSize() -> Int? {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x0d && $0 != 0x20 && $0 != 0x09 }
    line.removeAll(keepingCapacity: true)
    guard (1...15).contains(digits.count), digits.allSatisfy(Self.isHexDigit) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
