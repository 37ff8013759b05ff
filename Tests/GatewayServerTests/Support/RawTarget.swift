import Dispatch
import GatewayServer
import Glibc
import Synchronization

/// An HTTP server that reads large bodies and does one thing with them. Blocking, with a thread for each connection.
///
/// `@unchecked Sendable`: only the state behind the lock changes after its creation.
final class RawTarget: @unchecked Sendable {
  /// A request as far as it has come.
  struct Seen: Sendable {
    var head: String
    var body: [UInt8] = []
    /// Whether the client has ended the connection before the body's end.
    var isCut = false
    /// The number of its connection, from 1 on.
    var connection: Int
  }

  /// The action at each body.
  enum Action: Sendable {
    /// Reads the whole body, answers with 200, and keeps the connection.
    case answer
    /// Answers with that text when that many bytes of the body have come, and ends the connection.
    case answerEarly(String, after: Int)
    /// Ends the connection with a reset.
    case die(after: Int)
  }

  private let silent: SilentServer
  private let seen = Mutex<[Seen]>([])
  private let action: Action
  var port: Int { silent.port }

  init(_ action: Action = .answer) throws {
    silent = try SilentServer()
    self.action = action
    let threads = DispatchQueue(label: "raw target", attributes: .concurrent)
    threads.async { [self] in
      var arrival = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
      var number = 0
      // No client connects any more when the test is over.
      while poll(&arrival, 1, 30_000) == 1 {
        let peer = accept(silent.descriptor, nil, nil)
        guard peer >= 0 else { return }
        number += 1
        threads.async { [self, number] in
          serve(peer, number)
          close(peer)
        }
      }
    }
  }

  /// The requests, as far as they have come.
  var requests: [Seen] { seen.withLock { $0 } }

  /// Returns the requests when the condition holds. Blocks the thread.
  func requests(when isSo: ([Seen]) -> Bool) -> [Seen] {
    while true {
      let requests = requests
      if isSo(requests) { return requests }
      poll(nil, 0, 2)
    }
  }

  private func serve(_ peer: CInt, _ number: Int) {
    var guardTime = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &guardTime, socklen_t(MemoryLayout<timeval>.size))
    while let head = Self.line(of: peer, through: [13, 10, 13, 10]) {
      seen.withLock { $0.append(Seen(head: head, connection: number)) }
      switch action {
      case .answer:
        guard readBody(of: peer, head, atMost: .max) else { return note { $0.isCut = true } }
        Self.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", to: peer)
      case .answerEarly(let text, let count):
        _ = readBody(of: peer, head, atMost: count)
        Self.send(text, to: peer)
        shutdown(peer, CInt(SHUT_WR))
        // Without this the client might get a reset before it reads the answer.
        var rest = [UInt8](repeating: 0, count: 1 << 16)
        while recv(peer, &rest, rest.count, 0) > 0 {}
        return
      case .die(let count):
        _ = readBody(of: peer, head, atMost: count)
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        return
      }
    }
  }

  private func note(_ change: (inout Seen) -> Void) {
    seen.withLock { if !$0.isEmpty { change(&$0[$0.count - 1]) } }
  }

  private func readBody(of peer: CInt, _ head: String, atMost most: Int) -> Bool {
    let fields = head.lowercased().split(separator: "\r\n")
    if fields.contains("transfer-encoding: chunked") {
      var left = most
      while let line = Self.line(of: peer, through: [13, 10]) {
        guard let size = Int(line.prefix(while: \.isHexDigit), radix: 16) else { return false }
        guard readPart(min(size, left), of: peer) else { return false }
        left -= min(size, left)
        if left == 0 && size > 0 { return true }
        guard Self.line(of: peer, through: [13, 10]) == "\r\n" else { return false }
        if size == 0 { return true }
      }
      return false
    }
    let length = fields.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
    return readPart(min(length, most), of: peer)
  }

  private func readPart(_ count: Int, of peer: CInt) -> Bool {
    var left = count
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while left > 0 {
      let read = recv(peer, &bytes, min(left, bytes.count), 0)
      guard read > 0 else { return false }
      left -= read
      let part = bytes[..<read]
      note { $0.body += part }
    }
    return true
  }

  /// Returns the bytes up to that end; nil at the end of the connection.
  private static func line(of peer: CInt, through end: [UInt8]) -> String? {
    var line: [UInt8] = []
    while !line.suffix(end.count).elementsEqual(end) {
      var byte: UInt8 = 0
      guard recv(peer, &byte, 1, 0) == 1 else { return nil }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  private static func send(_ text: String, to peer: CInt) {
    Glibc.send(peer, text, text.utf8.count, CInt(MSG_NOSIGNAL))
  }
}
