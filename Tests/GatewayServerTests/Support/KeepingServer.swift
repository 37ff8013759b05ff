import Dispatch
import Glibc
import Synchronization

/// An HTTP server that keeps its connections for a number of answers, then reads one more request and closes the
/// connection without an answer. It counts the requests. Blocking, on its own thread, one connection after another.
///
/// `@unchecked Sendable`: only the state behind the lock changes after its creation.
final class KeepingServer: @unchecked Sendable {
  private struct State {
    var requests: [String] = []
    var connections = 0
    var unasked = 0
  }

  private let silent: SilentServer
  private let state = Mutex(State())
  /// The number of answered requests on a connection.
  private let answers: Int
  var port: Int { silent.port }

  /// The bytes that it sends on a connection after the first answer, when the client may have read that.
  private let unasked: String

  init(answering answers: Int, thenUnasked unasked: String = "") throws {
    silent = try SilentServer()
    self.answers = answers
    self.unasked = unasked
    DispatchQueue(label: "keeping server").async { [self] in
      var arrival = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
      // No client connects any more when the test is over.
      while poll(&arrival, 1, 30_000) == 1 {
        let peer = accept(silent.descriptor, nil, nil)
        guard peer >= 0 else { return }
        state.withLock { $0.connections += 1 }
        serve(peer)
        close(peer)
      }
    }
  }

  /// The first line of each received request, and the number of their connections.
  var seen: (requests: [String], connections: Int) { state.withLock { ($0.requests, $0.connections) } }

  /// The number of connections on which it has sent what nobody asked for.
  var unaskedCount: Int { state.withLock { $0.unasked } }

  private func serve(_ peer: CInt) {
    var guardTime = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &guardTime, socklen_t(MemoryLayout<timeval>.size))
    for number in 0...answers {
      guard let line = Self.readHead(of: peer) else { return }
      state.withLock { $0.requests.append(line) }
      guard number < answers else { return }
      let answer = Array("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".utf8)
      send(peer, answer, answer.count, CInt(MSG_NOSIGNAL))
      guard number == 0, !unasked.isEmpty else { continue }
      poll(nil, 0, 50)
      send(peer, Array(unasked.utf8), unasked.utf8.count, CInt(MSG_NOSIGNAL))
      state.withLock { $0.unasked += 1 }
    }
  }

  /// Returns the first line of the next request; nil at the end. No request has a body.
  private static func readHead(of peer: CInt) -> String? {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      var byte: UInt8 = 0
      guard recv(peer, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    return String(decoding: head.prefix { $0 != 13 }, as: UTF8.self)
  }
}
