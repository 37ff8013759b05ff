internal import GatewayCore

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
    /// The line end behind a chunk's data, of which the carriage return has come or not.
    case dataEnd(hasReturn: Bool)
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
        state = count == left ? .dataEnd(hasReturn: false) : .data(left: left - count)
      case .dataEnd(let hasReturn):
        rest = rest.dropFirst()
        guard byte == 0x0a || (byte == 0x0d && !hasReturn) else { return .malformed }
        state = byte == 0x0a ? .size : .dataEnd(hasReturn: true)
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

  /// The size that the line says. Behind it come extensions only, and one carriage return at its end: what else readers
  /// may take for a line's end is what smuggling is made of.
  private mutating func takeSize() -> Int? {
    if line.last == 0x0d { line.removeLast() }
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
