import Glibc

/// A TCP client that sends arbitrary bytes. Blocking, with a timeout against a test that would hang.
final class RawClient {
  let descriptor: CInt
  private var buffer: [UInt8] = []

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(port: Int, host: String = "127.0.0.1") throws {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found?.pointee else {
      throw Failure(description: "no address \(host)")
    }
    defer { freeaddrinfo(found) }
    descriptor = socket(address.ai_family, CInt(SOCK_STREAM.rawValue), 0)
    var guardTime = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &guardTime, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &guardTime, socklen_t(MemoryLayout<timeval>.size))
    // Errors from here on run deinit, which closes the descriptor.
    guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
      throw Failure(description: "connect: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    close(descriptor)
  }

  // MARK: Bytes

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "send: \(String(cString: strerror(errno)))") }
      sent += count
    }
  }

  /// Waits long enough for the other side to read what was sent by itself.
  func pause() { poll(nil, 0, 3) }

  /// Ends our side of the connection; the other stays open.
  func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Ends the connection with a reset, like a process that dies.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    shutdown(descriptor, CInt(SHUT_RDWR))
  }

  /// Whether the other side has ended the connection with a reset, as far as was read.
  private(set) var wasReset = false

  /// Returns whether nothing, not even the end, arrives within that many milliseconds.
  func isSilent(for milliseconds: CInt) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return buffer.isEmpty && poll(&entry, 1, milliseconds) == 0
  }

  /// Reads more; returns false at the end of the connection, also after a reset.
  private func fill() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0 && errno == EAGAIN { throw Failure(description: "nothing came in time") }
    if count < 0 && errno == ECONNRESET { wasReset = true }
    guard count > 0 else { return false }
    buffer += chunk[..<count]
    return true
  }

  func read(_ count: Int) throws -> [UInt8] {
    while buffer.count < count {
      guard try fill() else { throw Failure(description: "the connection ended after \(buffer.count) of \(count)") }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// Returns everything up to the end of the connection.
  func readToEnd() throws -> [UInt8] {
    while try fill() {}
    defer { buffer = [] }
    return buffer
  }

  // MARK: HTTP

  struct Answer {
    let status: Int
    let headers: [String: String]
    let body: String
  }

  /// Returns the head of a response, with its empty line.
  func readHead() throws -> String {
    var head: [UInt8] = []
    while !head.ends(with: Array("\r\n\r\n".utf8)) { head += try read(1) }
    return String(decoding: head, as: UTF8.self)
  }

  /// Returns one response; its body ends at its length, or at the end of the connection.
  func readAnswer() throws -> Answer {
    let lines = try readHead().split(separator: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Failure(description: "no status line: \(lines)")
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
    }
    let body = status == 101 ? [] : try read(Int(headers["content-length"] ?? "0") ?? 0)
    return Answer(status: status, headers: headers, body: String(decoding: body, as: UTF8.self))
  }

  static let key = "dGhlIHNhbXBsZSBub25jZQ=="

  /// Returns a valid upgrade request with fields replaced, added or (nil) removed.
  static func upgrade(_ path: String = "/", changing changes: [String: String?] = [:]) -> String {
    var fields: [String: String] = [
      "Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key,
      "Sec-WebSocket-Version": "13",
    ]
    for (name, value) in changes { fields[name] = value }
    let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    return "GET \(path) HTTP/1.1\r\n\(lines)\r\n"
  }

  /// Returns a client with an open WebSocket.
  static func open(
    port: Int, host: String = "127.0.0.1", path: String = "/", changing changes: [String: String?] = [:]
  ) throws -> RawClient {
    let client = try RawClient(port: port, host: host)
    try client.send(upgrade(path, changing: changes))
    let answer = try client.readAnswer()
    guard answer.status == 101 else { throw Failure(description: "\(answer.status) in place of 101: \(answer.body)") }
    return client
  }

  // MARK: WebSocket

  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10
  }

  struct ReceivedFrame: Equatable {
    var opcode: Opcode
    var payload: [UInt8]
    var isFinal = true

    var text: String { String(decoding: payload, as: UTF8.self) }
    var closeCode: UInt16? { payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil }
    var closeText: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
  }

  /// Returns the bytes of a masked frame.
  static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    switch payload.count {
    case ..<126: bytes.append(0x80 | UInt8(payload.count))
    case ..<65536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    default:
      bytes.append(0x80 | 127)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
  }

  func sendFrame(_ opcode: Opcode, _ payload: [UInt8] = [], isFinal: Bool = true) throws {
    try send(Self.frame(opcode.rawValue, payload, isFinal: isFinal))
  }

  func sendText(_ text: String) throws { try sendFrame(.text, Array(text.utf8)) }

  func sendClose(_ code: UInt16) throws { try sendFrame(.close, [UInt8(code >> 8), UInt8(code & 0xff)]) }

  func readFrame() throws -> ReceivedFrame {
    let head = try read(2)
    var length = Int(head[1] & 0x7f)
    if length == 126 { length = try read(2).reduce(0) { $0 << 8 | Int($1) } }
    if length == 127 { length = try read(8).reduce(0) { $0 << 8 | Int($1) } }
    guard let opcode = Opcode(rawValue: head[0] & 0x0f) else { throw Failure(description: "opcode \(head[0])") }
    return ReceivedFrame(opcode: opcode, payload: try read(length), isFinal: head[0] & 0x80 != 0)
  }
}

extension [UInt8] {
  fileprivate func ends(with suffix: [UInt8]) -> Bool {
    count >= suffix.count && self[(count - suffix.count)...] == suffix[...]
  }
}
