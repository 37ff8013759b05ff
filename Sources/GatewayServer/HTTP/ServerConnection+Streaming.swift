internal import GatewayCore

/// Streamed answers. Meanwhile the connection reads a limited number of bytes, to detect that its peer has gone.
extension ServerConnection: BodyWriter {
  /// If more bytes than this wait, the source is not asked for more.
  private static let roomBytes = 64 << 10

  var hasRoom: Bool { stream.outputCount < Self.roomBytes }

  /// Whether it answers with a feed, which does not end by itself.
  var isFeeding: Bool { streamed?.source.endsByItself == false }

  /// Begins the body after the head has been written, with the pieces from the source.
  func begin(_ source: HTTPStream) {
    guard case .writing = phase else { return }
    phase = .streaming
    let answer = StreamedAnswer(source)
    streamed = answer
    if stream.hasOutput { wait(host.limits.readerPatience) } else { due = .distantFuture }
    if isFeeding {
      endRequest()
      if service.requests.isFinishing { return endFeed() }
    }
    answer.start(on: self)
    if case .streaming = phase { readBehind() }
  }

  // MARK: Writing

  func write(piece: [UInt8]) {
    // An empty chunk would be the last one (RFC 9112 section 7.1).
    guard !piece.isEmpty else { return }
    guard takesChunks else { return write(piece) }
    var chunk = Array(String(piece.count, radix: 16).utf8)
    chunk.reserveCapacity(chunk.count + piece.count + 4)
    chunk += Self.lineEnd
    chunk += piece
    chunk += Self.lineEnd
    write(chunk)
  }

  private static let lineEnd: [UInt8] = [0x0d, 0x0a]

  func sourceEnded(isCut: Bool) {
    if isCut { end() } else { endBody() }
  }

  /// Ends the body, which is complete.
  func endBody() {
    // Over TLS no event reports an end that has already been read.
    if streamed?.peerHasEnded == true && pending.isEmpty { ending = .end }
    endStream()
    phase = .writing
    if takesChunks { write(Array("0\r\n\r\n".utf8)) }
    awaitReader()
  }

  /// Ends a feed, and its connection, in good order.
  func endFeed() {
    ending = .end
    endBody()
  }

  /// Stops asking the source.
  func endStream() {
    streamed?.cancel()
    streamed = nil
  }

  // MARK: Reading

  /// Whether it reads, at least to detect the peer's end. The bytes after the request may be as many as one read.
  var isListening: Bool { pending.count - pendingStart < loop.inbound.count && streamed?.peerHasEnded == false }

  /// Stores the bytes after the request, and detects that the peer has gone. A feed may be silent forever, so a client must not
  /// send so many bytes that this would not be detected.
  func readBehind() {
    guard incoming == nil else { return receiveBody() }
    var hasMore = true
    while hasMore && isListening {
      switch stream.read(into: loop.inbound) {
      case .moved(0):
        if isFeeding { return endFeed() }
        streamed?.peerHasEnded = true
      case .moved(let count):
        pending += loop.inbound[..<count]
        hasMore = stream.hasPending
      case .needs: hasMore = false
      case .failed: return end()
      }
    }
    if isFeeding && !isListening { endFeed() } else { rewatch() }
  }
}
