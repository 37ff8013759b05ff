import CLibWebSockets
import Glibc

/// A client that uses TLS and sends arbitrary bytes. It accepts any certificate.
final class SecureClient {
  private let client: RawClient
  private let context: OpaquePointer
  private let session: OpaquePointer
  private var buffer: [UInt8] = []

  init(port: Int) throws {
    // OpenSSL writes without MSG_NOSIGNAL, and the peer may be gone.
    signal(SIGPIPE, SIG_IGN)
    client = try RawClient(port: port)
    context = SSL_CTX_new(TLS_client_method())
    session = SSL_new(context)
    SSL_set_fd(session, client.descriptor)
    guard SSL_connect(session) == 1 else { throw RawClient.Failure(description: "no TLS handshake") }
  }

  deinit {
    SSL_free(session)
    SSL_CTX_free(context)
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    guard SSL_write(session, bytes, CInt(bytes.count)) == bytes.count else {
      throw RawClient.Failure(description: "send")
    }
  }

  /// Ends our side by TLS; the other stays open.
  func endSending() { SSL_shutdown(session) }

  func reset() { client.reset() }

  /// Whether the connection has ended with a reset, as far as was read.
  private(set) var wasReset = false

  func isSilent(for milliseconds: CInt) -> Bool { buffer.isEmpty && client.isSilent(for: milliseconds) }

  /// Reads more; returns false at the end of the connection.
  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16384)
    let count = SSL_read(session, &chunk, CInt(chunk.count))
    guard count > 0 else {
      wasReset = SSL_get_error(session, count) == SSL_ERROR_SYSCALL && errno == ECONNRESET
      return false
    }
    buffer += chunk[..<Int(count)]
    return true
  }

  /// Returns everything up to the end of that text.
  func read(through end: String) throws -> String {
    let end = Array(end.utf8)
    while true {
      if let range = buffer.firstRange(of: end) {
        defer { buffer.removeFirst(range.upperBound) }
        return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
      }
      guard fill() else {
        throw RawClient.Failure(description: "the connection ended after: \(String(decoding: buffer, as: UTF8.self))")
      }
    }
  }

  /// Returns everything up to the end of the connection.
  func readToEnd() -> [UInt8] {
    while fill() {}
    defer { buffer = [] }
    return buffer
  }
}
