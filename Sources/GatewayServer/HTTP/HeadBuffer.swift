/// The bytes of a request's head, collected until the empty line.
struct HeadBuffer {
  enum Step: Equatable {
    case needsMore
    /// The head is complete with that many bytes of the piece; the rest does not belong to it.
    case complete(used: Int)
    case tooLong
    /// The bytes do not begin like a request, e.g. because they are TLS.
    case malformed
  }

  private(set) var bytes: [UInt8] = []
  private let bytesMax: Int
  /// The bytes of empty lines before the request line, which are ignored (RFC 9112 section 2.2).
  private var skipped = 0

  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  mutating func append(_ piece: UnsafeRawBufferPointer) -> Step {
    var start = 0
    if bytes.isEmpty {
      start = piece.prefix { $0 == 0x0d || $0 == 0x0a }.count
      skipped += start
    }
    let known = bytes.count
    bytes.append(contentsOf: piece[start...])
    if let first = bytes.first, !RequestHead.isToken(CollectionOfOne(first)) { return .malformed }
    guard let end = end(from: max(0, known - 2)) else {
      return bytes.count + skipped > bytesMax ? .tooLong : .needsMore
    }
    guard end + skipped <= bytesMax else { return .tooLong }
    bytes.removeLast(bytes.count - end)
    return .complete(used: start + end - known)
  }

  /// Returns the end of the empty line, if it is there. A line may end with a line feed alone (RFC 9112 section 2.2).
  private func end(from start: Int) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var index = start
      while index < bytes.count {
        defer { index += 1 }
        guard bytes[index] == 0x0a else { continue }
        if index + 1 < bytes.count && bytes[index + 1] == 0x0a { return index + 2 }
        if index + 2 < bytes.count && bytes[index + 1] == 0x0d && bytes[index + 2] == 0x0a { return index + 3 }
      }
      return nil
    }
  }
}
