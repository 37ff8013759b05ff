internal import GatewayCore
internal import GatewayRuntime

/// One HTTP request on a connection of its own, or on one that an earlier request has left.
///
/// A kept connection may end as the request goes out. A request that may be repeated is then sent again on a new connection.
/// Any other is repeated only if no byte of it has been sent, because the server may have processed it. A rotating refresh
/// token that is spent twice signs its user out (RFC 9110 section 9.2.2).
///
/// A request with a streamed body has a new connection, because its body could not be sent again.
///
/// `@unchecked Sendable`: made and used on one loop.
final class FetchConnection: DialledConnection, @unchecked Sendable {
  /// Called with each piece of the body of a 200 as it arrives, first when the head has. Returns how long the next may
  /// take; nil to end the connection.
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
  /// Whether the connection was kept after an earlier request. The server may end it while this request goes out.
  private var isKept = false
  /// Whether the request may be repeated: its method is idempotent, or no byte of it can have arrived.
  private var mayRepeat: Bool { isIdempotent || !hasLeft }
  private let isIdempotent: Bool
  /// The body of a forwarded answer; nil if the answer is handed over whole.
  private let body: AnswerBody?
  /// Whether the head of a forwarded answer has been handed over.
  private var hasToldHead = false
  /// The time at which the wait for the head ends.
  private var headDue = Instant.distantFuture
  /// The streamed body of the request; nil if it has none, and when all of it was sent.
  private var outgoing: OutgoingBody?
  /// Whether a part of the request is not sent, because the server takes no more.
  private var isIncomplete = false
  /// The event that sending the body waits for.
  private var sendNeeds: IOWatcher.Events = []
  /// Whether a byte of the request may have been sent.
  private var hasLeft = false

  private enum Phase { case connecting, sending, receiving, ended }

  init(
    _ request: HTTPRequest, from target: DialTarget, by dialer: SocketDialer, body: AnswerBody? = nil,
    receiver: Receiver? = nil,
    finished: @escaping (Result<HTTPResponse, DialFailure>) -> Void
  ) {
    self.finished = finished
    self.receiver = receiver
    output = request.serialized(for: target)
    outgoing = OutgoingBody(of: request)
    parser = HTTPResponseParser(
      isHead: request.method == "HEAD",
      bodyBytesMax: body == nil ? target.answerBytesMax ?? HTTPResponseParser.bodyBytesMax : .max)
    isIdempotent = Self.isIdempotent(request)
    self.body = body
    super.init(to: target, by: dialer)
  }

  /// Returns whether a request may be sent twice (RFC 9110 section 9.2.2).
  static func isIdempotent(_ request: HTTPRequest) -> Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(request.method)
  }

  /// Starts the connection. The loop keeps it alive from here on.
  func start(timeout: Duration) {
    body?.connection = self
    loop.connections.append(self)
    loop.deadlines.set(wakeup, at: loop.now + timeout)
    let mayTake = target.keepsConnections && outgoing == nil
    guard mayTake, let kept = dialer.kept.take(target, at: loop.now) else { return reach() }
    isKept = true
    goOn(with: kept.descriptor, kept.tls)
    established()
  }

  override func wakeUp() {
    guard let body, phase != .connecting, loop.now < headDue else { return end(.failure(.timedOut)) }
    guard body.caller?.hasGone != true else { return end(.failure(.unreachable("the client has left"))) }
    loop.deadlines.set(wakeup, at: min(headDue, loop.now + AnswerBody.callerInterval))
  }

  override func end() {
    isKept = false
    end(.failure(.unreachable("the loop ended")))
  }

  override func failed(_ failure: DialFailure) { end(.failure(failure)) }

  override func established() {
    phase = .sending
    if body != nil, headDue == .distantFuture {
      headDue = loop.now + AnswerBody.headTimeout
      loop.deadlines.set(wakeup, at: loop.now + AnswerBody.callerInterval)
    }
    send()
  }

  override func advance() {
    switch phase {
    case .sending: send()
    case .receiving:
      if outgoing?.hasOutput == true { sendBody() }
      if body?.isFull == true { watchReadable() } else if phase == .receiving { receive() }
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
    outgoing?.start(on: self)
    guard phase == .receiving else { return }
    watchReadable()
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
          guard tls?.hasPending == true, body?.isFull != true else { return watchReadable() }
        case .needsReadable: return watchReadable()
        case .needsWritable: return watchReadable(after: .writable)
        case .failed(let reason): return end(.failure(.unreachable(reason)))
        case .insecure(let failure): return end(.failure(.insecure(failure)))
        }
      }
    }
  }

  /// Sends what has come of a streamed body, as far as the server takes it.
  private func sendBody() {
    guard phase == .receiving, let outgoing else { return }
    sendNeeds = []
    while outgoing.hasOutput, sendNeeds.isEmpty {
      switch outgoing.withOutput(move(out:)) {
      case .moved(let count):
        outgoing.note(sent: count)
        headDue = loop.now + AnswerBody.headTimeout
      case .needsReadable: sendNeeds = .readable
      case .needsWritable: sendNeeds = .writable
      case .failed: return stopSending()
      case .insecure(let failure): return end(.failure(.insecure(failure)))
      }
    }
    if outgoing.isSent {
      outgoing.cancel()
      self.outgoing = nil
    } else {
      outgoing.goOn()
    }
    watchReadable()
  }

  /// Sends no more, because the server has ended its half of the connection. It may have answered before that.
  private func stopSending() {
    isIncomplete = true
    outgoing?.cancel()
    outgoing = nil
    sendNeeds = []
    watchReadable()
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

  /// Watches for more of the answer, if there is room for it, and for what the body of the request waits for.
  private func watchReadable(after needs: IOWatcher.Events = .readable) {
    guard phase == .receiving else { return }
    watcher?.watch((body?.isFull == true ? [] : needs).union(sendNeeds))
  }

  /// Reads on, because the body's reader has taken what was there.
  func goOnReceiving() {
    guard phase == .receiving else { return }
    // Queued, so that no handler is called inside this call; TLS may hold bytes that no event reports.
    loop.events.execute { [self] in if phase == .receiving, body?.isFull != true { receive() } }
  }

  /// Ends because the rest of the body is not read.
  func abandon() { end(.failure(.unreachable("nobody reads the answer"))) }

  private func settle(_ step: HTTPResponseParser.Step) {
    switch step {
    case .needsMore: handOnBody()
    case .complete: end(.success(parser.response))
    case .invalid(let reason):
      end(.failure(tls == nil && parser.beginsTLS ? .insecure(.peerWantsTLS) : .unreachable(reason)))
    }
  }

  /// Hands on what has come of a forwarded answer.
  private func handOnBody() {
    guard let body, parser.hasHead else { return }
    body.add(parser.takeBody())
    guard !hasToldHead else { return }
    hasToldHead = true
    loop.deadlines.remove(wakeup)
    finished(.success(body.answer(with: parser.response, length: parser.announcedLength)))
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
        if body != nil {
          headDue = .distantFuture
          loop.deadlines.set(wakeup, at: loop.now + AnswerBody.connectTimeout)
        }
        return reach()
      }
      result = .failure(
        .unreachable("the kept connection ended before the answer, and such a request is not sent twice"))
    }
    phase = .ended
    loop.deadlines.remove(wakeup)
    let isWhole = outgoing == nil && !isIncomplete
    outgoing?.cancel()
    outgoing = nil
    if case .success = result, target.keepsConnections, isWhole, parser.isReusable {
      watcher?.stop()
      dialer.kept.keep(descriptor, tls, for: target, at: loop.now)
      tls = nil
      descriptor = -1
    }
    closeDescriptor()
    loop.connections.remove(self)
    guard let body else { return finished(result) }
    body.connection = nil
    guard !hasToldHead else {
      body.add(parser.takeBody())
      if case .failure = result { body.end(isCut: true) } else { body.end(isCut: false) }
      return
    }
    finished(result.map { body.whole($0, length: parser.announcedLength) })
  }
}

/// The streamed body of its request.
extension FetchConnection: BodyWriter {
  var hasRoom: Bool { outgoing?.hasRoom == true }

  func write(piece: [UInt8]) {
    outgoing?.add(piece)
    sendBody()
  }

  func sourceEnded(isCut: Bool) {
    guard !isCut else { return end(.failure(.unreachable("the client left before the end of the body"))) }
    outgoing?.end()
    sendBody()
  }
}
