internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// A server's answer to an upgrade request: the head of a 101 (RFC 6455 section 4.1), or a failure, e.g. a 503.
enum UpgradeAnswer: Equatable {
  case needsMore
  /// The WebSocket is open; its first frame begins after that many bytes.
  case open(after: Int)
  case failed(DialFailure)

  /// The maximum number of bytes that are read of the head, with the 1xx heads before it.
  static let headBytesMax = 32 << 10

  /// Reads the answer.
  ///
  /// - Parameters:
  ///   - bytes: All received bytes.
  ///   - accept: The required value of `Sec-WebSocket-Accept`.
  ///   - offered: The subprotocols that the request had.
  static func read(_ bytes: UnsafeRawBufferPointer, accept: [UInt8], offered: [String]) -> UpgradeAnswer {
    // An alert or a handshake of TLS, whatever its other bytes are (RFC 8446 section 5.1).
    if bytes.count >= 3, bytes[0] == 0x15 || bytes[0] == 0x16, bytes[1] == 3 {
      return .failed(.insecure(.peerWantsTLS))
    }
    var start = 0
    while true {
      guard let end = ResponseHead.end(in: bytes, from: start) else {
        let isTooLong = bytes.count > headBytesMax
        return isTooLong ? .failed(.unreachable("the answer's head is too long")) : .needsMore
      }
      let head = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      guard let status = status(head) else { return .failed(.unreachable("the answer is no HTTP/1.1 response")) }
      if status == 101 {
        if let fault = Fields(head).fault(accept: accept, offered: offered) { return .failed(.unreachable(fault)) }
        return .open(after: end)
      }
      // A 1xx response before the answer has a head only (RFC 9110 section 15.2).
      guard status < 200 else { return .failed(.refused(status: status)) }
      start = end
    }
  }

  /// Returns the required value for the answer to a request with this key.
  static func accept(for key: [UInt8]) -> [UInt8] {
    let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8
    var digest = [UInt8](repeating: 0, count: 20)
    _ = lws_SHA1(text, text.count, &digest)
    return Array(Base64.encode(digest).utf8)
  }

  private static func status(_ head: UnsafeRawBufferPointer) -> Int? {
    // `HTTP/1.1 101`, and the rest of the line.
    guard head.count >= 12, head.starts(with: "HTTP/1.".utf8), head[8] == 0x20 else { return nil }
    var status = 0
    for byte in head[9..<12] {
      guard (0x30...0x39).contains(byte) else { return nil }
      status = status * 10 + Int(byte - 0x30)
    }
    return (100..<600).contains(status) ? status : nil
  }
}

/// The fields of a 101 that are checked, e.g. `Sec-WebSocket-Accept`.
private struct Fields {
  private var upgrade: UnsafeRawBufferPointer?
  private var connection: UnsafeRawBufferPointer?
  private var accept: UnsafeRawBufferPointer?
  private var subprotocol: UnsafeRawBufferPointer?
  private var hasExtension = false

  init(_ head: UnsafeRawBufferPointer) {
    var start = head.firstIndex(of: 0x0a).map { $0 + 1 } ?? head.count
    while start < head.count {
      let end = head[start...].firstIndex(of: 0x0a) ?? head.count
      let line = UnsafeRawBufferPointer(rebasing: head[start..<end])
      start = end + 1
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
      let value = line[(colon + 1)...].trimmed
      switch colon {
      case 7 where name.isText("upgrade"): upgrade = value
      case 10 where name.isText("connection"): connection = value
      case 20 where name.isText("sec-websocket-accept"): accept = value
      case 22 where name.isText("sec-websocket-protocol"): subprotocol = value
      case 24 where name.isText("sec-websocket-extensions"): hasExtension = hasExtension || !value.isEmpty
      default: break
      }
    }
  }

  /// Returns the reason why it opens no WebSocket; nil if it does.
  func fault(accept expected: [UInt8], offered: [String]) -> String? {
    guard upgrade?.isText("websocket") == true, connection?.hasWord("upgrade") == true else {
      return "the 101 is for something else than a WebSocket"
    }
    guard let accept, accept.elementsEqual(expected) else {
      return "the 101 answers another request: Sec-WebSocket-Accept"
    }
    if hasExtension { return "the 101 has an extension that nobody offered" }
    if let subprotocol, !offered.contains(where: { subprotocol.elementsEqual($0.utf8) }) {
      return "the 101 has a subprotocol that nobody offered"
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether it is this text, which is in lower case.
  fileprivate func isText(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index].small != text.utf8Start[index] { return false }
    return true
  }

  /// Returns whether a list contains this word.
  fileprivate func hasWord(_ word: StaticString) -> Bool {
    split(separator: UInt8(ascii: ",")).contains { $0.trimmed.isText(word) }
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The bytes without the spaces, tabs and carriage returns around them.
  fileprivate var trimmed: UnsafeRawBufferPointer {
    var (first, last) = (startIndex, endIndex)
    while first < last, base[first].isBlank { first += 1 }
    while first < last, base[last - 1].isBlank { last -= 1 }
    return UnsafeRawBufferPointer(rebasing: base[first..<last])
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0d }

  fileprivate var small: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}
