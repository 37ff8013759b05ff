internal import GatewayCore

/// A reader of one HTTP/1.1 response (RFC 9112) from the bytes of a connection.
///
/// It holds at most one head and one body, however many bytes arrive.
struct HTTPResponseParser {
  enum Step: Equatable {
    case needsMore
    case complete
    /// The bytes are no response, or the response is too large.
    case invalid(String)
  }

  private enum Framing {
    case length(Int)
    case chunked(ChunkedBody)
    case toTheEnd
  }

  /// The limit of all heads together: the response's own and the ones of the 1xx responses before it.
  static let headBytesMax = 64 << 10
  static let bodyBytesMax = 8 << 20

  private let isHead: Bool
  private let allowsUpgrade: Bool
  private let bodyBytesMax: Int
  /// The bytes of the body that were taken out.
  private var takenBytes = 0
  private var head = HeadBuffer(bytesMax: headBytesMax)
  /// The bytes of the heads before this one.
  private var earlierBytes = 0
  private var framing: Framing?
  /// Whether the response ended, by its own length, with the last received byte.
  private var endedWithLastByte = false
  /// Whether no other request may follow, e.g. because the server uses HTTP/1.0.
  private var isLast = false
  /// Whether any byte has arrived.
  private(set) var hasBegun = false
  private(set) var response = HTTPResponse(status: 0)

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - isHead: Whether the request was a HEAD, whose answer has no body.
  ///   - bodyBytesMax: The limit of the body.
  ///   - allowsUpgrade: Whether the answer may be a 101, which is then complete with its head.
  init(isHead: Bool, bodyBytesMax: Int = Self.bodyBytesMax, allowsUpgrade: Bool = false) {
    self.isHead = isHead
    self.bodyBytesMax = bodyBytesMax
    self.allowsUpgrade = allowsUpgrade
  }

  /// Whether the head has been read.
  var hasHead: Bool { framing != nil }

  /// The length that the response gives for its body, or for the body that the answer to a HEAD leaves out.
  private(set) var announcedLength: Int?

  /// Takes out the received bytes of the body.
  mutating func takeBody() -> [UInt8] {
    var taken: [UInt8] = []
    if case .chunked(var chunks) = framing {
      framing = nil
      taken = chunks.takeBytes()
      framing = .chunked(chunks)
      response.body = []
    } else {
      swap(&taken, &response.body)
    }
    takenBytes += taken.count
    return taken
  }

  /// Whether the bytes are a record of TLS (RFC 8446 section 5.1): an alert, or a part of a handshake.
  var beginsTLS: Bool { mayBeTLS && head.bytes.count >= 3 }

  private var mayBeTLS: Bool {
    guard framing == nil, earlierBytes == 0, let first = head.bytes.first else { return false }
    return (first == 0x15 || first == 0x16) && head.bytes.dropFirst().prefix(1).allSatisfy { $0 == 3 }
  }

  /// Whether another request may follow on the connection: the response is complete, and no other byte arrived.
  var isReusable: Bool {
    let says = response.header("connection")?.lowercased() ?? ""
    return endedWithLastByte && !isLast && !says.contains(bytesOf: "close")
  }

  mutating func consume(_ more: UnsafeRawBufferPointer) -> Step {
    if !more.isEmpty { hasBegun = true }
    var rest = more
    while framing == nil {
      switch head.append(rest) {
      case .needsMore: return .needsMore
      case .tooLong: return .invalid("the response's head is above \(Self.headBytesMax) bytes")
      case .malformed:
        return mayBeTLS && head.bytes.count < 3 ? .needsMore : .invalid("no HTTP/1.1 response")
      case .complete(let used):
        rest = UnsafeRawBufferPointer(rebasing: rest[used...])
        let bytes = head.bytes
        earlierBytes += bytes.count
        head = HeadBuffer(bytesMax: Self.headBytesMax - earlierBytes)
        if let step = readHead(bytes) { return step }
      }
    }
    return readBody(rest)
  }

  /// Handles the end of the connection.
  mutating func end() -> Step {
    if case .toTheEnd = framing { return .complete }
    return .invalid("the connection ended before the response did")
  }

  // MARK: The body

  private var tooLong: Step { .invalid("the response is above \(bodyBytesMax) bytes") }

  private mutating func readBody(_ piece: UnsafeRawBufferPointer) -> Step {
    switch framing {
    case .length(let length):
      let used = min(length - takenBytes - response.body.count, piece.count)
      response.body.append(contentsOf: piece.prefix(used))
      guard takenBytes + response.body.count == length else { return .needsMore }
      endedWithLastByte = used == piece.count
      return .complete
    case .toTheEnd:
      guard piece.count <= bodyBytesMax - response.body.count else { return tooLong }
      response.body.append(contentsOf: piece)
      return .needsMore
    case .chunked(var chunks):
      // Held in one place only, so that it grows in place.
      framing = nil
      let step = chunks.append(piece)
      framing = .chunked(chunks)
      switch step {
      case .needsMore: return .needsMore
      case .tooLong: return tooLong
      case .malformed: return .invalid("the response's chunks are malformed")
      case .complete(let used):
        response.body = chunks.bytes
        endedWithLastByte = used == piece.count
        return .complete
      }
    case nil: return .needsMore
    }
  }

  // MARK: The head

  /// Reads a whole head. Returns nil if the next one, or the body, follows.
  private mutating func readHead(_ bytes: [UInt8]) -> Step? {
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: true).map { line in
      line.last == 0x0d ? line.dropLast() : line
    }
    guard let first = lines.first, first.starts(with: "HTTP/1.".utf8), let status = Self.status(first) else {
      return .invalid("no HTTP/1.1 response")
    }
    // The request did not ask for another protocol (RFC 9110 section 15.2.2); other 1xx responses precede the final one.
    if status == 101 && !allowsUpgrade {
      return .invalid("the response changes the protocol, which the request did not ask for")
    }
    if status < 200 && status != 101 { return nil }
    isLast = first.starts(with: "HTTP/1.0".utf8)
    response.status = status
    for line in lines.dropFirst() where !line.isEmpty {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        return .invalid("a field of the response has no colon")
      }
      var value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      while value.last == 0x20 || value.last == 0x09 { value.removeLast() }
      let name = RequestHead.lower(String(decoding: line[..<colon], as: UTF8.self))
      response.headers.append(HTTPField(name, String(decoding: value, as: UTF8.self)))
    }
    return setFraming()
  }

  /// Returns the three digits of the status line; nil if there are none.
  private static func status(_ line: ArraySlice<UInt8>) -> Int? {
    let words = line.split(separator: 0x20)
    guard words.count >= 2, words[1].count == 3, let status = number(words[1]), (100..<600).contains(status) else {
      return nil
    }
    return status
  }

  /// Returns the number of these bytes, which must be decimal digits without a sign; nil if they are not, or it is above
  /// `Int.max`.
  private static func number(_ bytes: some Collection<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(String(decoding: bytes, as: UTF8.self))
  }

  private mutating func setFraming() -> Step? {
    let codings = response.headers.filter { $0.name == "transfer-encoding" }.map(\.value)
    let lengths = response.headers.filter { $0.name == "content-length" }.map(\.value)
    announcedLength = lengths.first.flatMap { Self.number($0.utf8) }
    if isHead || response.status == 101 || response.status == 204 || response.status == 304 {
      framing = .length(0)
    } else if let coding = codings.first {
      guard codings.count == 1, RequestHead.lower(coding) == "chunked" else {
        return .invalid("the response is in transfer coding \(codings.joined(separator: ", "))")
      }
      framing = .chunked(ChunkedBody(bytesMax: bodyBytesMax))
      // Another reader of the connection may use a length beside it (RFC 9112 section 6.3).
      if !lengths.isEmpty { isLast = true }
    } else if let text = lengths.first {
      guard let length = Self.number(text.utf8) else { return .invalid("the response's Content-Length is no number") }
      guard lengths.allSatisfy({ $0.utf8.elementsEqual(text.utf8) }) else {
        return .invalid("the response has two different Content-Lengths")
      }
      guard length <= bodyBytesMax else { return tooLong }
      framing = .length(length)
    } else {
      framing = .toTheEnd
    }
    return nil
  }
}
