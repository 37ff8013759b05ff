import Dispatch
import Foundation
import Glibc

/// A stand-in for the client under test: the part of a WebSocket client (RFC 6455) that a few tests need.
///
/// It uses a blocking socket, which is read on its own queue. Debian 12's libcurl has no WebSockets, so
/// `URLSessionWebSocketTask` does not work there.
///
/// `@unchecked Sendable`: `connect()` sets all that changes, before any other call.
final class MyClient: @unchecked Sendable {
  /// The error that the gateway closed the connection.
  struct Closed: Error, Equatable {
    let code: UInt16
  }

  /// The error that the connection failed, or was silent for five seconds.
  struct Failure: Error {
    let reason: String
  }

  private let url: URLComponents?
  private let token: String
  private let queue = DispatchQueue(label: "client")
  private var descriptor: Int32 = -1

  init(url: String, token: String) {
    self.url = URLComponents(string: url)
    self.token = token
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Connects and logs in.
  func connect() async throws { try await onQueue { try $0.open() } }

  /// Returns the next message; throws ``Closed`` for a close frame.
  func nextMessage() async throws -> String { try await onQueue { try $0.receive() } }

  private func onQueue<Answer: Sendable>(_ body: @escaping @Sendable (MyClient) throws -> Answer) async throws -> Answer
  {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body(self) }) }
    }
  }

  private func open() throws {
    guard let url, let host = url.host, let port = url.port.flatMap(UInt16.init) else {
      throw Failure(reason: "no URL")
    }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var timeout = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    let key = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    try write(
      Array(
        """
        GET \(url.path) HTTP/1.1\r
        Host: \(host):\(port)\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: \(key)\r
        Sec-WebSocket-Version: 13\r
        \r

        """.utf8))
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try read(1) }
    guard head.starts(with: "HTTP/1.1 101".utf8) else { throw Failure(reason: String(decoding: head, as: UTF8.self)) }
    try send(#"{"type":"connect","token":"\#(token)"}"#)
  }

  /// Answers a refresh request.
  func refresh(with token: String) throws {
    try send(#"{"type":"refresh","token":"\#(token)"}"#)
  }

  private func receive() throws -> String {
    while true {
      let head = try read(2)
      var count = Int(head[1] & 0x7F)
      if count == 126 { count = try read(2).reduce(0) { $0 << 8 | Int($1) } }
      let payload = try read(count)
      switch head[0] & 0x0F {
      case 1: return String(decoding: payload, as: UTF8.self)
      case 8: throw Closed(code: payload.prefix(2).reduce(0) { $0 << 8 | UInt16($1) })
      default: continue
      }
    }
  }

  /// Sends one masked text message of up to 64 KiB.
  private func send(_ text: String) throws {
    let mask = (0..<4).map { _ in UInt8.random(in: 0...255) }
    let payload = Array(text.utf8)
    let masked = payload.enumerated().map { $1 ^ mask[$0 & 3] }
    let length: [UInt8] =
      payload.count < 126
      ? [0x80 | UInt8(payload.count)] : [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    try write([0x81] + length + mask + masked)
  }

  private func write(_ bytes: [UInt8]) throws {
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw Failure(reason: "cannot send: \(String(cString: strerror(errno)))")
    }
  }

  private func read(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let read = recv(descriptor, &piece, piece.count, 0)
      guard read > 0 else { throw Failure(reason: read == 0 ? "the connection ended" : "nothing came for 5 s") }
      bytes += piece.prefix(read)
    }
    return bytes
  }
}
