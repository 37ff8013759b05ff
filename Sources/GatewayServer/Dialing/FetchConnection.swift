internal import GatewayCore
internal import GatewayRuntime

/// One HTTP request on a connection of its own, or on one that an earlier request has left.
///
/// A kept connection may end as the request goes out. A request that may be repeated is then sent again on a new connection.
/// Any other is repeated only if no byte of it has been sent, because the server may have processed it. A rotating refresh
/// token that is spent twice signs its user out (RFC 9110 section 9.2.2).
final class FetchConnection: DialledConnection {
  /// Called with each piece of the body of a 200 as it arrives, first when the head has. Returns how long the next may take; nil
  /// to end the connection.
  typealias Receiver = (_ piece: [UInt8]) -> Duration?

  private let finished: (Result<HTTPResponse, DialFailure>) -> Void
  /// The receiver of the body; nil if the response is to contain it.
  private let receiver: Receiver?
  /// Whether the receiver has been called.
  private var isStreaming = false
  private var output: [UInt8]
  private var sent = 0
  private var parser: HTTPResponseParser
  private var phase = Phase.connecting
  /// Whether an earlier request has left the connection; the server may end it as this one goes out.
  private var isKept = false
  /// Whether the request may be repeated: its method is idempotent, or no byte of it can have arrived.
  private var mayRepeat: Bool { isIdempotent || !hasLeft }
  private let isIdempotent: Bool
  /// Whether a byte of the request may have been sent.
  private var hasLeft = false

  private enum Phase { case connecting, sending, receiving, ended }

  init(
    _ request: HTTPRequest, from target: DialTarget, by dialer: SocketDialer, receiver: Receiver? = nil,
    finished: @escaping (Result<HTTPResponse, DialFailure>) -> Void
  ) {
    self.finished = finished
    self.receiver = receiver
    output = request.serialized(for: target)
    parser = HTTPResponseParser(isHead: request.method == "HEAD")
    isIdempotent = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(request.method)
    super.init(to: target, by: dialer)
  }

  /// Starts the connection. The loop keeps it alive from here on.
  func start(timeout: Duration) {
    loop.connections.append(self)
    loop.deadlines.set(wakeup, at: loop.now + timeout)
    guard target.keepsConnections, let kept = dialer.kept.take(target, at: loop.now) else { return reach() }
    isKept = true
    goOn(with: kept.descriptor, kept.tls)
    established()
  }

  override func wakeUp() { end(.failure(.timedOut)) }

  override func end() {
    isKept = false
    end(.failure(.unreachable("the loop ended")))
  }

  override func failed(_ failure: DialFailure) { end(.failure(failure)) }

  override func established() {
    phase = .sending
    send()
  }

  override func advance() {
    switch phase {
    case .sending: send()
    case .receiving: receive()
    case .connecting, .ended: break
    }
  }

  private func send() {
    while sent < output.count {
      switch output.withUnsafeBytes({ move(out: UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
      case .moved(let count):
        sent += count
        hasLeft = true
      case .needsReadable:
        hasLeft = true
        return watcher!.watch(.readable)
      case .needsWritable:
        // TLS may have sent a part of a record.
        hasLeft = hasLeft || tls != nil
        return watcher!.watch(.writable)
      case .failed(let reason): return end(.failure(.unreachable(reason)))
      case .insecure(let failure): return end(.failure(.insecure(failure)))
      }
    }
    if !isKept { output = [] }
    sent = 0
    phase = .receiving
    watcher?.watch(.readable)
    // TLS may have the answer already, in which case the descriptor reports nothing.
    if tls != nil { receive() }
  }

  /// Reads one piece. The loop reports further bytes after other connections and deadlines have had their turn.
  private func receive() {
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
      while phase == .receiving {
        switch move(into: buffer) {
        case .moved(0): return settle(parser.end())
        case .moved(let count):
          let step = parser.consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          guard passOn() else { return }
          settle(step)
          guard tls?.hasPending == true else { return watchReadable() }
        case .needsReadable: return watchReadable()
        case .needsWritable: return watcher!.watch(.writable)
        case .failed(let reason): return end(.failure(.unreachable(reason)))
        case .insecure(let failure): return end(.failure(.insecure(failure)))
        }
      }
    }
  }

  /// Passes the received part of a streamed body to its receiver. Returns false if that ends the connection.
  private func passOn() -> Bool {
    guard let receiver, parser.hasHead, parser.response.status == 200 else { return true }
    let piece = parser.takeBody()
    guard !piece.isEmpty || !isStreaming else { return true }
    isStreaming = true
    guard let patience = receiver(piece) else {
      end(.failure(.unreachable("the receiver wants no more of the answer")))
      return false
    }
    loop.deadlines.set(wakeup, at: loop.now + patience)
    return true
  }

  private func watchReadable() {
    if phase == .receiving { watcher?.watch(.readable) }
  }

  private func settle(_ step: HTTPResponseParser.Step) {
    switch step {
    case .needsMore: break
    case .complete: end(.success(parser.response))
    case .invalid(let reason):
      end(.failure(tls == nil && parser.beginsTLS ? .insecure(.peerWantsTLS) : .unreachable(reason)))
    }
  }

  private func end(_ result: Result<HTTPResponse, DialFailure>) {
    guard phase != .ended else { return }
    var result = result
    if isKept, !parser.hasBegun, case .failure(let failure) = result, failure != .timedOut {
      isKept = false
      sent = 0
      if mayRepeat {
        closeDescriptor()
        phase = .connecting
        return reach()
      }
      result = .failure(
        .unreachable("the kept connection ended before the answer, and such a request is not sent twice"))
    }
    phase = .ended
    loop.deadlines.remove(wakeup)
    if case .success = result, target.keepsConnections, parser.isReusable {
      watcher?.stop()
      dialer.kept.keep(descriptor, tls, for: target, at: loop.now)
      tls = nil
      descriptor = -1
    }
    closeDescriptor()
    loop.connections.remove(self)
    finished(result)
  }
}
