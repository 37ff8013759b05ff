import CLibWebSockets
import Dispatch
import GatewayServer
import Glibc

/// A server that answers upgrades by RFC 6455 and then sends arbitrary bytes, over TLS if it has a certificate.
/// Blocking, with a timeout against a test that would hang. It waits for its peer on its own thread, since a test that
/// blocks one of the few shared threads could keep the peer from connecting.
///
/// `@unchecked Sendable`: nothing changes after its creation.
final class RawServer: @unchecked Sendable {
  private let silent: SilentServer
  private let context: OpaquePointer?
  var port: Int { silent.port }

  private let waiting = DispatchQueue(label: "raw server")

  init(_ files: TLSFiles? = nil) throws {
    // OpenSSL writes without MSG_NOSIGNAL, and the peer may be gone.
    signal(SIGPIPE, SIG_IGN)
    silent = try SilentServer()
    context = files.flatMap { files in
      let context = SSL_CTX_new(TLS_server_method())
      let isMade =
        SSL_CTX_use_certificate_file(context, files.certificatePath, SSL_FILETYPE_PEM) == 1
        && SSL_CTX_use_PrivateKey_file(context, files.keyPath, SSL_FILETYPE_PEM) == 1
      return isMade ? context : nil
    }
  }

  deinit {
    SSL_CTX_free(context)
  }

  /// Waits for the next connection and its upgrade request, and answers with `frames` in the same piece: at once, since
  /// a client has a timeout. The stream has one element, the failure if no connection comes in time.
  func opening(with frames: [UInt8] = []) -> AsyncStream<Result<Peer, any Error>> {
    let (stream, continuation) = AsyncStream.makeStream(of: Result<Peer, any Error>.self)
    waiting.async {
      continuation.yield(
        Result {
          let peer = try self.accept()
          try peer.open(with: frames)
          return peer
        })
      continuation.finish()
    }
    return stream
  }

  /// Returns the next connection, after its TLS handshake.
  private func accept() throws -> Peer {
    var arrival = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&arrival, 1, 20_000) == 1 else { throw RawClient.Failure(description: "nobody came") }
    let accepted = Glibc.accept(silent.descriptor, nil, nil)
    guard accepted >= 0 else { throw RawClient.Failure(description: "accept") }
    var guardTime = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(accepted, SOL_SOCKET, SO_RCVTIMEO, &guardTime, socklen_t(MemoryLayout<timeval>.size))
    var one: CInt = 1
    setsockopt(accepted, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    guard let context else { return Peer(accepted, nil) }
    let peer = Peer(accepted, SSL_new(context))
    guard peer.shakeHands() else { throw RawClient.Failure(description: "no TLS handshake") }
    return peer
  }

  /// A connected client.
  ///
  /// `@unchecked Sendable`: used by the thread that waits for it until it is open, by the test from then on.
  final class Peer: @unchecked Sendable {
    private let descriptor: CInt
    private let ssl: OpaquePointer?

    fileprivate init(_ descriptor: CInt, _ ssl: OpaquePointer?) {
      self.descriptor = descriptor
      self.ssl = ssl
    }

    deinit {
      SSL_free(ssl)
      close(descriptor)
    }

    fileprivate func shakeHands() -> Bool {
      SSL_set_fd(ssl, descriptor)
      return SSL_accept(ssl) == 1
    }

    /// Sends in one piece, or each byte followed by a pause, so that each is read by itself.
    func send(_ bytes: [UInt8], byByte: Bool = false) throws {
      for piece in byByte ? bytes.map({ [$0] }) : [bytes] {
        let count =
          ssl.map { Int(SSL_write($0, piece, CInt(piece.count))) }
          ?? Glibc.send(descriptor, piece, piece.count, CInt(MSG_NOSIGNAL))
        guard count == piece.count else { throw RawClient.Failure(description: "send") }
        if byByte { poll(nil, 0, 3) }
      }
    }

    /// Sends a ping without a payload, and reads the client's frames up to its pong; returns their size in bytes.
    func readToPong(behind ping: [UInt8]) throws -> Int {
      try send(ping)
      var (unread, count): (ArraySlice<UInt8>, Int) = ([], 0)
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let read = recv(descriptor, &buffer, buffer.count, 0)
        guard read > 0 else { throw RawClient.Failure(description: "the pong did not come") }
        count += read
        unread = unread + buffer[..<read]
        // The client's frames are short and masked here.
        while unread.count >= 6, unread.count >= 6 + Int(unread[unread.startIndex + 1] & 0x7f) {
          let length = Int(unread[unread.startIndex + 1] & 0x7f)
          if unread.first == 0x8a, length == 0 { return count }
          unread = unread.dropFirst(6 + length)
        }
        unread = ArraySlice(Array(unread))
      }
    }

    /// Returns the request's head.
    private func readHead() throws -> String {
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
        var byte: UInt8 = 0
        let count = ssl.map { Int(SSL_read($0, &byte, 1)) } ?? recv(descriptor, &byte, 1, 0)
        guard count == 1 else { throw RawClient.Failure(description: "the head ended") }
        head.append(byte)
      }
      return String(decoding: head, as: UTF8.self)
    }

    /// Sends the answer to an upgrade request (RFC 6455 section 4.2.2), with `frames` in the same piece.
    fileprivate func open(with frames: [UInt8]) throws {
      let lines = try readHead().split(separator: "\r\n")
      let key = lines.first { $0.lowercased().hasPrefix("sec-websocket-key:") }?.split(separator: " ").last ?? ""
      let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
      var digest = [UInt8](repeating: 0, count: 20)
      EVP_Digest(text, text.count, &digest, nil, EVP_sha1(), nil)
      var accept = [UInt8](repeating: 0, count: 29)
      EVP_EncodeBlock(&accept, digest, 20)
      let answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + String(decoding: accept.dropLast(), as: UTF8.self) + "\r\n\r\n"
      try send(Array(answer.utf8) + frames)
    }
  }
}
