internal import GatewayCore

/// A reader of one HTTP/1.1 response (RFC 9112) out of the bytes of a connection that carries no other. A body of
/// chunks is put together, for instance.
struct HTTPResponseParser {
  enum Step: Equatable {
    case needsMore
    case complete
    /// What came is no response, or a larger one than is wanted.
    case invalid(String)
  }

  private enum Framing: Equatable {
    case length(Int)
    case chunked
    case toTheEnd
  }

  /// The head of a response, and all of one.
  static let headBytesMax = 64 << 10
  static let bodyBytesMax = 8 << 20

  private let isHead: Bool
  private var bytes: [UInt8] = []
  private var position = 0
  private var framing: Framing?
  /// Where the response ended; nil while it has not, or only the connection ends it.
  private var endPosition: Int?
  private var isOld = false
  private(set) var response = HTTPResponse(status: 0)

  /// - Parameter isHead: the request was a HEAD, whose answer has no body.
  init(isHead: Bool) {
    self.isHead = isHead
  }

  /// Whether what came is a record of TLS (RFC 8446 section 5.1): an alert, or a part of a handshake.
  var beginsTLS: Bool { bytes.count >= 3 && (bytes[0] == 0x15 || bytes[0] == 0x16) && bytes[1] == 3 }

  /// Whether anything has come.
  var hasBegun: Bool { !bytes.isEmpty }

  /// Whether another request may follow on the connection: the response is through, and nothing else came.
  var isReusable: Bool {
    let says = response.header("connection")?.lowercased() ?? ""
    return endPosition == bytes.count && !isOld && !says.contains(bytesOf: "close")
  }

  mutating func consume(_ more: UnsafeRawBufferPointer) -> Step {
    bytes.append(contentsOf: more)
    return advance(atEnd: false)
  }

  /// The connection has ended.
  mutating func end() -> Step {
    let step = advance(atEnd: true)
    return step == .needsMore ? .invalid("the connection ended before the response did") : step
  }

  private mutating func advance(atEnd: Bool) -> Step {
    while framing == nil {
      if let step = readHead() { return step }
    }
    switch framing! {
    case .length(let length):
      guard length <= Self.bodyBytesMax else { return .invalid("the response is above \(Self.bodyBytesMax) bytes") }
      guard bytes.count - position >= length else { return .needsMore }
      response.body = Array(bytes[position..<position + length])
      endPosition = position + length
      return .complete
    case .toTheEnd:
      guard bytes.count - position <= Self.bodyBytesMax else {
        return .invalid("the response is above \(Self.bodyBytesMax) bytes")
      }
      guard atEnd else { return .needsMore }
      response.body = Array(bytes[position...])
      return .complete
    case .chunked:
      return readChunks()
    }
  }

  /// Nil once the head of the final response is read.
  private mutating func readHead() -> Step? {
    guard let end = ResponseHead.end(in: bytes, from: position) else {
      return bytes.count - position > Self.headBytesMax ? .invalid("the response's head is too long") : .needsMore
    }
    let lines = bytes[position..<end].split(separator: 0x0a, omittingEmptySubsequences: true).map { line in
      String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
    }
    position = end
    guard let first = lines.first, first.hasPrefix("HTTP/1."),
      let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) }), (100..<600).contains(status)
    else { return .invalid("no HTTP/1.1 response") }
    // What precedes the final response, e.g. 100 (Continue), has a head only.
    if status < 200 { return nil }
    isOld = first.hasPrefix("HTTP/1.0")
    response.status = status
    for line in lines.dropFirst() where !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { return .invalid("a field of the response has no colon") }
      let value = line[line.index(after: colon)...].split(whereSeparator: { $0 == " " || $0 == "\t" })
        .joined(separator: " ")
      response.headers.append(HTTPField(line[..<colon].lowercased(), value))
    }
    return setFraming()
  }

  private mutating func setFraming() -> Step? {
    if isHead || response.status == 204 || response.status == 304 {
      framing = .length(0)
    } else if let coding = response.header("transfer-encoding") {
      guard coding.lowercased() == "chunked" else { return .invalid("the response is in transfer coding \(coding)") }
      framing = .chunked
    } else if let text = response.header("content-length") {
      guard let length = Int(text), length >= 0 else { return .invalid("the response's Content-Length is no number") }
      framing = .length(length)
    } else {
      framing = .toTheEnd
    }
    return nil
  }

  /// Moves whole chunks into the body.
  private mutating func readChunks() -> Step {
    while let newline = bytes[position...].firstIndex(of: 0x0a) {
      let line = bytes[position..<newline].prefix { $0 != UInt8(ascii: ";") && $0 != 0x0d }
      guard let size = Int(String(decoding: line, as: UTF8.self), radix: 16), size >= 0 else {
        return .invalid("a chunk of the response has no size")
      }
      guard response.body.count + size <= Self.bodyBytesMax else {
        return .invalid("the response is above \(Self.bodyBytesMax) bytes")
      }
      // The trailer fields, which nobody asked for, end with the connection.
      if size == 0 {
        let rest = bytes[(newline + 1)...]
        if rest.elementsEqual([0x0d, 0x0a]) { endPosition = bytes.count }
        return .complete
      }
      let end = newline + 1 + size
      guard bytes.count >= end + 2 else { return .needsMore }
      response.body += bytes[newline + 1..<end]
      position = end + 2
    }
    return bytes.count - position > 1024 ? .invalid("a chunk of the response has no size") : .needsMore
  }
}
