internal import GatewayCore
internal import GatewayRuntime

/// An accepted connection until it becomes a WebSocket: reads its requests one after the other, ann's for a token and
/// then her upgrade, for instance, and answers them.
///
/// Bytes behind a request wait until it is answered, and nothing is read meanwhile. The watcher stays on all the same,
/// which saves two system calls for each request that is answered at once; something that comes stops it.
///
/// `@unchecked Sendable`: made and used on one loop; it is handed to a task of that loop's ``ServingActor``.
final class ServerConnection: LoopConnection, @unchecked Sendable {
  /// A stage of the connection: `idle`, for instance, while it waits for another request.
  enum Phase {
    /// TLS is being agreed on.
    case securing
    /// Kept alive, and nothing of another request has come.
    case idle
    case head
    case body(HTTPRequest)
    /// The site is at it.
    case answering
    /// The answer goes on, as ``StreamedAnswer`` has it.
    case streaming
    /// The rest of the answer waits for the peer to read.
    case writing
    /// The last answer is out: reads on, so that it is not lost in a reset.
    case lingering
    /// Ended, or a WebSocket's.
    case gone
  }

  /// The end that follows an answer: the next request, for instance, where the connection is kept.
  enum Ending {
    case nextRequest
    case end
    /// The end, when the peer has seen the answer: not all that it sends has been read.
    case linger
  }

  let host: VirtualHost
  let service: HTTPService
  let loop: SocketLoop
  /// The limit that the connection is above, if it only waits for its 503.
  let excess: TransportRefusals.Reason?
  /// The client's address, if a proxy has named it ahead of the connection.
  private let client: String?
  /// When the connection was accepted, or another request began on it.
  private(set) var beganAt: Instant

  var phase = Phase.head
  var head: HeadBuffer
  /// What has come of the body in phase `body`.
  var body: RequestBody?
  /// How many heads have come.
  var requests = 0
  /// What came behind the request that is being answered, from `pendingStart` on.
  var pending: [UInt8] = []
  var pendingStart = 0
  /// Whether taking that up is queued on the loop.
  private var isQueued = false
  /// Whether the request is a HEAD, whether the answer may be chunked, and what the request asks for the connection.
  var isHead = false
  var takesChunks = false
  var persistence = Persistence.closes
  /// What its body takes of the room for uploads.
  var uploadBytes = 0
  /// Whether it counts among the listener's requests under way.
  private var isUnderWay = false
  var ending = Ending.end
  /// The answer that goes on, and who waits for one.
  var streamed: StreamedAnswer?
  var caller: RequestCaller?

  var stream: ClientStream
  private var watcher: IOWatcher?
  private lazy var wakeup = Wakeup(target: self)
  /// When it has waited long enough. The heap wakes no later, and perhaps sooner: moving the deadline costs nothing.
  var due = Instant.distantFuture
  private lazy var peerAddress = SocketAddress.ofPeer(stream.descriptor)?.text ?? ""

  /// How many requests one connection may carry.
  static let requestsMax = 10_000
  static let lingerTime = Duration.seconds(2)

  init(
    host: VirtualHost, service: HTTPService, descriptor: CInt, excess: TransportRefusals.Reason?, client: String?
  ) {
    loop = host.loop
    self.host = host
    self.service = service
    stream = ClientStream(descriptor)
    self.excess = excess
    self.client = client
    beganAt = host.loop.now
    head = HeadBuffer(bytesMax: host.limits.headerBytesMax)
  }

  /// Begins. The loop holds it from here on.
  func start() {
    loop.connections.append(self)
    if let context = host.tls {
      phase = .securing
      stream.tls = TLSServer(context, descriptor: stream.descriptor)
      guard stream.tls != nil else { return end() }
    }
    watcher = IOWatcher(descriptor: stream.descriptor, on: loop) { [unowned self] in ready() }
    wait(host.limits.handshakeTimeout)
    rewatch()
  }

  /// The client's address: what proxies of ours say, or else the peer's.
  func clientAddress(of request: HTTPRequest) -> String {
    service.proxies.client(of: request.headers, from: client ?? peerAddress)
  }

  /// Waits that long at most for what comes next.
  func wait(_ duration: Duration) {
    due = loop.now + duration
    if loop.deadlines.deadline(of: wakeup) > due { loop.deadlines.set(wakeup, at: due) }
  }

  // MARK: Reading

  private func ready() {
    if stream.hasOutput {
      flush()
      if case .writing = phase, !stream.hasOutput { return written() }
    }
    switch phase {
    case .securing: secure()
    case .idle, .head, .body: readSome()
    case .answering where stream.hasEnded: caller?.leave(); watcher?.watch(stream.outputEvents)
    case .answering, .writing: watcher?.watch(stream.outputEvents)
    case .streaming: readBehind()
    case .lingering: discard()
    case .gone: break
    }
  }

  /// Watches for what the phase needs.
  func rewatch() {
    switch phase {
    case .securing: watcher?.watch(stream.readNeeds)
    case .idle, .head, .body: watcher?.watch((pending.isEmpty ? stream.readNeeds : []).union(stream.outputEvents))
    case .answering: break
    case .streaming: watcher?.watch((isListening ? stream.readNeeds : []).union(stream.outputEvents))
    case .writing: watcher?.watch(stream.outputEvents)
    case .lingering: watcher?.watch(.readable)
    case .gone: break
    }
  }

  private func secure() {
    switch stream.handshake() {
    case .done:
      phase = .head
      readSome()
    case .needs: rewatch()
    case .failed(let reason):
      phase = .head
      service.refusals.count(reason)
      end()
    }
  }

  private var isReading: Bool {
    switch phase {
    case .idle, .head, .body: pending.isEmpty
    default: false
    }
  }

  /// Reads once, if something is wanted: what the system still has, it tells of again, and others have their turn.
  func readSome() {
    while isReading {
      switch stream.read(into: loop.inbound) {
      case .moved(0), .failed: return end()
      case .moved(let count):
        take(UnsafeRawBufferPointer(rebasing: loop.inbound[..<count]))
        if !stream.hasPending { return rewatch() }
      case .needs: return rewatch()
      }
    }
    rewatch()
  }

  private func take(_ piece: UnsafeRawBufferPointer) {
    let (used, arrival) = advance(piece)
    if used < piece.count { pending = Array(piece[used...]) }
    act(on: arrival)
  }

  /// Goes on with what has been read already.
  private func takeUp() {
    isQueued = false
    guard pendingStart < pending.count else { return readSome() }
    switch phase {
    case .idle, .head, .body: break
    default: return
    }
    // A copy, since the connection may end meanwhile.
    let (bytes, start) = (pending, pendingStart)
    let (used, arrival) = bytes.withUnsafeBytes { advance(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    pendingStart = start + used
    if pendingStart == bytes.count { dropPending() }
    act(on: arrival)
    if stream.hasPending { readSome() } else { rewatch() }
  }

  private func dropPending() {
    pending = []
    pendingStart = 0
  }

  // MARK: Requests under way

  /// The request has been read so far that it will be answered.
  func beginRequest() {
    guard !isUnderWay else { return }
    isUnderWay = true
    service.requests.begin()
  }

  /// Its answer is with the system as a whole, or never will be.
  func endRequest() {
    guard isUnderWay else { return }
    isUnderWay = false
    service.requests.end()
    service.uploads.giveBack(&uploadBytes)
  }

  /// The first byte of another request has come.
  func leaveIdle() {
    loop.idleConnections.remove(self)
    loop.connections.append(self)
    beginHead()
  }

  private func beginHead() {
    phase = .head
    beganAt = loop.now
    wait(host.limits.handshakeTimeout)
  }

  private func awaitNext() {
    guard pending.isEmpty, !stream.hasPending else {
      beginHead()
      guard !isQueued else { return }
      isQueued = true
      // From the queue: a thousand requests in one piece are no deep stack, and others have their turn.
      return loop.events.execute { self.takeUp() }
    }
    phase = .idle
    loop.connections.remove(self)
    loop.idleConnections.append(self)
    wait(host.limits.idleTime)
    rewatch()
  }

  // MARK: Writing

  /// Nothing is waited for while the site is at it.
  func siteBegins() {
    phase = .answering
    due = .distantFuture
  }

  /// Writes what the peer takes at once, and the rest when it has read.
  func send(_ response: HTTPResponse, _ persistence: Persistence, then ending: Ending) {
    self.ending = ending
    phase = .writing
    write(response.dated(by: loop.events).serialized(withoutBody: isHead, persistence, takesChunks: takesChunks))
    if let source = response.stream, response.mayHaveBody, !isHead { begin(source) } else { awaitReader() }
  }

  /// Goes on when the whole answer is with the system.
  func awaitReader() {
    guard case .writing = phase else { return }
    guard stream.hasOutput else { return written() }
    wait(host.limits.readerPatience)
    rewatch()
  }

  func write(_ bytes: [UInt8]) {
    stream.add(bytes)
    flush()
  }

  /// Writes on. The connection may be gone after it.
  private func flush() {
    switch stream.flush() {
    case .done:
      if case .streaming = phase { due = .distantFuture }
    case .waits(let hasMoved):
      switch phase {
      case .writing where hasMoved: wait(host.limits.readerPatience)
      case .streaming where hasMoved || due == .distantFuture: wait(host.limits.readerPatience)
      default: break
      }
      rewatch()
    case .failed: return end()
    }
    streamed?.goOn()
  }

  /// The whole answer is with the system.
  private func written() {
    endRequest()
    switch ending {
    case .nextRequest: if service.requests.isFinishing { finish() } else { awaitNext() }
    case .end: finish()
    case .linger: linger()
    }
  }

  // MARK: The end

  /// Ends in good order.
  func finish() {
    if !pending.isEmpty || stream.hasUnread {
      linger()
    } else {
      stream.tls?.endSending()
      end()
    }
  }

  private func linger() {
    if case .idle = phase { leaveIdle() }
    stream.endSending()
    phase = .lingering
    dropPending()
    wait(Self.lingerTime)
    rewatch()
    discard()
  }

  /// Reads what nobody wants, over TLS without a look into it.
  private func discard() {
    for _ in 0..<16 {
      switch stream.readPast(loop.inbound) {
      case .moved(0), .failed: return end()
      case .moved: continue
      case .needs: return
      }
    }
  }

  /// Leaves the connection as it is to somebody else: its descriptor, the TLS session, and behind `first` the bytes that
  /// have been read.
  func handOver(behind first: String) -> (descriptor: CInt, session: OpaquePointer?, bytes: [UInt8]) {
    leave()
    let bytes = Array(first.utf8) + pending[pendingStart...]
    dropPending()
    return (stream.descriptor, stream.releaseSession(), bytes)
  }

  /// Nobody calls it from here on, and the loop lets go of it.
  private func leave() {
    if case .idle = phase { loop.idleConnections.remove(self) } else { loop.connections.remove(self) }
    phase = .gone
    watcher?.stop()
    watcher = nil
    loop.deadlines.remove(wakeup)
  }

  override var server: VirtualHost? { host }

  /// Closes without a word.
  override func end() {
    switch phase {
    case .gone: return
    case .securing: service.refusals.count(.tlsUnfinished)
    default: break
    }
    leave()
    body = nil
    dropPending()
    stream.close()
    endStream()
    endRequest()
    host.connectionEnded()
  }
}

extension ServerConnection: WakeupTarget {
  func wakeUp() {
    guard loop.now >= due else {
      if due != .distantFuture { loop.deadlines.set(wakeup, at: due) }
      return
    }
    switch phase {
    case .idle: finish()
    case .body:
      refuse(.plain(408, "the body did not arrive in time"), .bodyTimeout)
    default: end()
    }
  }
}
