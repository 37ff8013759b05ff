internal import GatewayCore

/// Answers that go on. Meanwhile the connection reads, though only so much as another request may want, to notice that its
/// peer has gone.
extension ServerConnection {
  /// How much may wait for the peer before the source is asked for more.
  private static let roomBytes = 64 << 10

  var hasRoom: Bool { stream.outputCount < Self.roomBytes }

  /// Whether it answers with a feed, which has no end of its own.
  var isFeeding: Bool { streamed?.source.endsByItself == false }

  /// The head has been written: goes on with what the source gives.
  func begin(_ source: HTTPStream) {
    guard case .writing = phase else { return }
    phase = .streaming
    let answer = StreamedAnswer(source, on: self)
    streamed = answer
    if stream.hasOutput { wait(host.limits.readerPatience) } else { due = .distantFuture }
    if isFeeding {
      endRequest()
      if service.requests.isFinishing { return endFeed() }
    }
    answer.start()
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

  /// The body is whole.
  func endBody() {
    // Over TLS nothing tells of an end that has been read.
    if streamed?.peerHasEnded == true && pending.isEmpty { ending = .end }
    endStream()
    phase = .writing
    if takesChunks { write(Array("0\r\n\r\n".utf8)) }
    awaitReader()
  }

  /// Ends a feed in good order, and its connection.
  func endFeed() {
    ending = .end
    endBody()
  }

  /// The source is not asked any more.
  func endStream() {
    streamed?.cancel()
    streamed = nil
  }

  // MARK: Reading

  /// Whether anything is read, the peer's end at least. What comes behind the request may be as much as is read at once.
  var isListening: Bool { pending.count - pendingStart < loop.inbound.count && streamed?.peerHasEnded == false }

  /// Keeps what comes behind the request, and notices that the peer has gone. Behind a feed, which may be silent for ever,
  /// nobody may send so much that this would not be noticed any more.
  func readBehind() {
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
