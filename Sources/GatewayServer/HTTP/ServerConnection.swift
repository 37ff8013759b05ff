internal import GatewayCore
internal import GatewayRuntime

/// An accepted connection until it becomes a WebSocket. It reads its requests one after the other, and answers them.
///
/// Bytes after a request wait until it is answered, and nothing is read until then. The watcher stays active, which
/// saves two system calls for each request that is answered at once; it stops when bytes arrive.
///
/// `@unchecked Sendable`: made and used on one loop; it is handed to a task of that loop's ``ServingActor``.
final class ServerConnection: LoopConnection, @unchecked Sendable {
  /// A stage of the connection.
  enum Phase {
    /// The first byte tells whether the client speaks TLS.
    case greeting
    /// The TLS handshake is under way.
    case securing
    /// The connection is kept alive, and no byte of another request has arrived.
    case idle
    case head
    case body(HTTPRequest)
    /// The site works on the answer.
    case answering
    /// The answer is streamed by ``StreamedAnswer``.
    case streaming
    /// The rest of the answer waits for the peer to read.
    case writing
    /// The last answer is sent: the connection reads on, so that the answer is not lost in a reset.
    case lingering
    /// The connection has ended, or belongs to a WebSocket.
    case gone
  }

  /// The action after an answer.
  enum Ending {
    case nextRequest
    case end
    /// End when the peer has read the answer, because not all of its bytes have been read.
    case linger
  }

  let host: VirtualHost
  let service: HTTPService
  let loop: SocketLoop
  /// The limit that the connection is above, if it only waits for its 503.
  let excess: TransportRefusals.Reason?
  /// The client's address, if a proxy has named it before the first request.
  private let client: String?
  /// The time when the connection was accepted, or another request began on it.
  private(set) var beganAt: Instant

  var phase = Phase.head
  var head: HeadBuffer
  /// The received part of the body in phase `body`.
  var body: RequestBody?
  /// The body of the request that is being answered, if it is passed on and not whole yet.
  var incoming: IncomingBody?
  /// The number of heads received.
  var requests = 0
  /// The bytes after the request that is being answered, from `pendingStart` on.
  var pending: [UInt8] = []
  var pendingStart = 0
  /// Whether their processing is queued on the loop.
  private var isQueued = false
  /// Whether the request is a HEAD, whether the answer may be chunked, and the persistence that the request asks for.
  var isHead = false
  var takesChunks = false
  var persistence = Persistence.closes
  /// The bytes of its body in the room for uploads.
  var uploadBytes = 0
  /// Whether it counts among the listener's requests under way.
  var isUnderWay = false
  var ending = Ending.end
  /// The streamed answer, and the caller of an answer that the site works on.
  var streamed: StreamedAnswer?
  var caller: RequestCaller?
  /// The tunnel that the client has opened.
  var tunnel: Tunnel?
  /// The upgrade whose answer is awaited.
  var awaitedUpgrade: PendingUpgrade?

  var stream: ClientStream
  private var watcher: IOWatcher?
  private(set) lazy var wakeup = Wakeup(target: self)
  /// The time when it has waited long enough. The heap wakes no later, and perhaps earlier, so moving the deadline is free.
  var due = Instant.distantFuture
  private(set) lazy var peerAddress = SocketAddress.ofPeer(stream.descriptor)?.text ?? ""

  /// The maximum number of requests on one connection.
  static let requestsMax = 10_000
  static let lingerTime = Duration.seconds(2)
  /// Until when it waits for a client that goes on with a body that nobody reads.
  var lingersUntil = Instant.zero

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

  /// Starts the connection. The loop keeps it alive from here on.
  func start() {
    loop.connections.append(self)
    if let context = host.tls {
      phase = .securing
      stream.tls = TLSServer(context, descriptor: stream.descriptor)
      guard stream.tls != nil else { return end() }
    } else if service.tunnels != nil, excess == nil {
      phase = .greeting
    }
    watcher = IOWatcher(descriptor: stream.descriptor, on: loop) { [unowned self] in ready() }
    wait(host.limits.handshakeTimeout)
    rewatch()
  }

  /// Returns the client's address as trusted proxies report it, or else the peer's.
  func clientAddress(of request: HTTPRequest) -> String {
    service.proxies.client(of: request.headers, from: client ?? peerAddress)
  }

  /// Sets the longest time to wait for the next event.
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
    case .greeting: greet()
    case .securing: secure()
    case .idle, .head, .body: readSome()
    case .answering where incoming != nil, .writing where incoming != nil: receiveBody()
    case .answering where awaitedUpgrade != nil && stream.hasEnded: end()
    case .answering where stream.hasEnded: caller?.leave(); watcher?.watch(stream.outputEvents)
    case .answering, .writing: watcher?.watch(stream.outputEvents)
    case .streaming: readBehind()
    case .lingering: discard()
    case .gone: break
    }
  }

  /// Watches for the events that the phase needs.
  func rewatch() {
    switch phase {
    case .greeting: watcher?.watch(.readable)
    case .securing: watcher?.watch(stream.readNeeds)
    case .idle, .head, .body: watcher?.watch((pending.isEmpty ? stream.readNeeds : []).union(stream.outputEvents))
    case .answering: if incoming != nil { watcher?.watch(bodyEvents.union(stream.outputEvents)) }
    case .streaming where incoming == nil:
      watcher?.watch((isListening ? stream.readNeeds : []).union(stream.outputEvents))
    case .streaming, .writing: watcher?.watch(bodyEvents.union(stream.outputEvents))
    case .lingering: watcher?.watch(.readable)
    case .gone: break
    }
  }

  func secure() {
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

  /// Reads once, if the phase reads. The system reports remaining bytes again, after other connections have had their turn.
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

  /// Continues with bytes that were read before.
  private func takeUp() {
    isQueued = false
    guard pendingStart < pending.count else { return readSome() }
    switch phase {
    case .idle, .head, .body: break
    default: return
    }
    // A copy, because the connection may end meanwhile.
    let (bytes, start) = (pending, pendingStart)
    let (used, arrival) = bytes.withUnsafeBytes { advance(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    pendingStart = start + used
    if pendingStart == bytes.count { dropPending() }
    act(on: arrival)
    if stream.hasPending { readSome() } else { rewatch() }
  }

  func dropPending() {
    pending = []
    pendingStart = 0
  }

  /// Handles the first byte of another request.
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
      // Called from the queue, so that a thousand requests in one piece make no deep stack, and others have their turn.
      return loop.events.execute { self.takeUp() }
    }
    phase = .idle
    loop.connections.remove(self)
    loop.idleConnections.append(self)
    wait(host.limits.idleTime)
    rewatch()
  }

  // MARK: Writing

  /// Clears the deadline while the site works.
  func siteBegins() {
    phase = .answering
    due = .distantFuture
  }

  /// Writes as much as the peer accepts at once, and the rest when it has read.
  func send(_ response: HTTPResponse, _ persistence: Persistence, then ending: Ending) {
    self.ending = ending
    phase = .writing
    // A body of known length needs no chunks.
    if response.contentLength != nil { takesChunks = false }
    write(response.dated(by: loop.events).serialized(withoutBody: isHead, persistence, takesChunks: takesChunks))
    if let source = response.stream, response.mayHaveBody, !isHead { begin(source) } else { awaitReader() }
  }

  /// Continues when the whole answer was passed to the system.
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

  /// Writes the waiting bytes. The connection may be gone after it.
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

  /// Continues after the whole answer was passed to the system.
  private func written() {
    endRequest()
    switch ending {
    case .nextRequest: if service.requests.isFinishing { finish() } else { awaitNext() }
    case .end: finish()
    case .linger: linger()
    }
  }

  // MARK: The end

  /// Detaches it from its loop and its watcher.
  func leave() {
    if case .idle = phase { loop.idleConnections.remove(self) } else { loop.connections.remove(self) }
    phase = .gone
    watcher?.stop()
    watcher = nil
    loop.deadlines.remove(wakeup)
  }

  override var server: VirtualHost? { host }

  /// Closes without notice.
  override func end() {
    switch phase {
    case .gone: return
    case .securing: service.refusals.count(.tlsUnfinished)
    default: break
    }
    leave()
    body = nil
    endIncoming(isWhole: false)
    dropPending()
    stream.close()
    endStream()
    endRequest()
    forgetUpgrade()
    host.connectionEnded()
  }
}
