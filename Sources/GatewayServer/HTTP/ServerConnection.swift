internal import CLibEV
internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// An accepted connection until it is a WebSocket: reads its one request, and answers it or upgrades.
///
/// `@unchecked Sendable`: made and used on one loop; it is handed to a task of that loop's ``ServingActor``.
final class ServerConnection: Endpoint, @unchecked Sendable {
  let loop: SocketLoop
  let host: VirtualHost
  let service: VirtualHost.Service
  /// The limit that the connection is above, if it only waits for its 503.
  let excess: TransportRefusals.Reason?
  /// The client's address, if a proxy has named it ahead of the connection.
  let client: String?
  let acceptedAt: Instant
  /// Whether the library has told of its end.
  private(set) var isDestroyed = false

  enum Phase {
    case head
    case body(HTTPRequest, remaining: Int)
    case chunks(HTTPRequest, ChunkedBody)
    /// The site is at it.
    case answering
    /// The rest of the answer waits for the peer to read.
    case writing
    /// Answered before the body was read: reads on, so that the answer is not lost in a reset.
    case lingering
  }

  var phase = Phase.head
  /// The head, until it is whole; then what it asks for.
  var head: HeadBuffer
  var arrival: RequestArrival?
  /// What the head is read from.
  var descriptor: CInt = -1
  private var isHead = false
  /// Whether the library waits for a callback to return.
  private var isInsideCallback = false
  /// Whether TLS is still being agreed on.
  private var isHandshaking: Bool
  /// Whether the answer is out.
  private var isAnswered = false
  /// Whether it counts among the listener's requests under way.
  private var isUnderWay = false
  private var output: ResponseOutput?
  private lazy var wakeup = Wakeup(target: self)

  init(host: VirtualHost, service: VirtualHost.Service, excess: TransportRefusals.Reason?, client: String?) {
    loop = host.loop
    self.host = host
    self.service = service
    self.excess = excess
    self.client = client
    isHandshaking = host.isSecure
    acceptedAt = host.loop.now
    head = HeadBuffer(bytesMax: service.limits.headerBytesMax)
  }

  override func happened(
    _ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?, _ length: Int
  ) -> Int32 {
    switch reason {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: upgradeAsked()
    case LWS_CALLBACK_HTTP: requestArrived()
    case LWS_CALLBACK_HTTP_BODY: bodyArrived(UnsafeRawBufferPointer(start: input, count: length))
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: 0
    case LWS_CALLBACK_CLOSED_HTTP: closed()
    default: 0
    }
  }

  private func closed() -> Int32 {
    release()
    return 0
  }

  override func connectionDestroyed() {
    isDestroyed = true
    forgetHead()
    release()
    endRequest()
    if isHandshaking { handshakeEnded(.tlsUnfinished) }
    if excess == .descriptorLimit { loop.spares.fill() }
    service.tally.connectionEnded()
  }

  /// TLS is agreed on, or it failed for a reason.
  func handshakeEnded(_ failure: TransportRefusals.Reason?) {
    isHandshaking = false
    if let failure { service.refusals.count(failure) }
  }

  /// The client's address: what proxies of ours say, or else the peer's.
  func clientAddress(of request: HTTPRequest) -> String {
    service.proxies.client(of: request.headers, from: client ?? peerAddress())
  }

  /// The request has been read so far that it will be answered.
  private func beginRequest() {
    guard !isUnderWay else { return }
    isUnderWay = true
    service.requests.begin()
  }

  /// Its answer is with the system as a whole, or never will be.
  private func endRequest() {
    guard isUnderWay else { return }
    isUnderWay = false
    service.requests.end()
  }

  private func release() {
    loop.deadlines.remove(wakeup)
    output?.stop()
    output = nil
  }

  // MARK: The head

  private func requestArrived() -> Int32 {
    guard case .head = phase, let wsi else { return 0 }
    // The library's timer is for the body alone; the answer may take longer, and it has ours.
    postern_clear_timeout(wsi)
    guard excess == nil else { return answerAtOnce(.overLimit) }
    beginRequest()
    switch arrival {
    case .refused(let response, let reason, let readsOn):
      service.refusals.count(reason)
      return readsOn ? answerAndLinger(response) : answerAtOnce(response)
    case .tooLarge(let request):
      isHead = request.method == "HEAD"
      return refuseBody(of: request)
    case .request(var request, let body, let awaitsContinue):
      request.peer = clientAddress(of: request)
      isHead = request.method == "HEAD"
      return take(body, of: request, awaitsContinue: awaitsContinue)
    case .upgrade, nil:
      return -1
    }
  }

  // MARK: The body

  private func take(
    _ body: RequestArrival.BodyFraming, of request: HTTPRequest, awaitsContinue: Bool
  ) -> Int32 {
    switch body {
    case .length(0): return answer(request)
    case .length(let length): phase = .body(request, remaining: length)
    case .chunked: phase = .chunks(request, ChunkedBody(bytesMax: service.limits.bodyBytesMax))
    }
    if awaitsContinue, write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) < 0 { return -1 }
    loop.deadlines.set(wakeup, at: loop.now + service.limits.handshakeTimeout)
    // When this callback has returned the library starts a timer of its own, which ends the connection without a word;
    // on a busy machine it would be first.
    loop.events.execute { [self] in
      if let wsi, !isDestroyed { postern_clear_timeout(wsi) }
    }
    return 0
  }

  private func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    switch phase {
    case .body(var request, let remaining):
      phase = .head
      request.body.append(contentsOf: bytes.prefix(remaining))
      let rest = remaining - min(remaining, bytes.count)
      guard rest == 0 else {
        phase = .body(request, remaining: rest)
        return 0
      }
      return answer(request)
    case .chunks(let request, let body):
      return chunksArrived(bytes, request, body)
    default:
      return 0
    }
  }

  private func chunksArrived(_ bytes: UnsafeRawBufferPointer, _ request: HTTPRequest, _ known: ChunkedBody) -> Int32 {
    phase = .head
    var body = known
    switch body.append(bytes) {
    case .needsMore:
      phase = .chunks(request, body)
      return 0
    case .tooLong:
      return refuseBody(of: request)
    case .malformed:
      service.refusals.count(.malformedRequest)
      return answerAtOnce(.plain(400, "the body's chunks are malformed"))
    case .complete:
      var request = request
      request.body = body.bytes
      return answer(request)
    }
  }

  private func refuseBody(of request: HTTPRequest) -> Int32 {
    service.refusals.count(.tooLarge)
    let error = GatewayError.bodyTooLarge.detailed("\(service.limits.bodyBytesMax) bytes")
    return answerAndLinger(service.site.refusal(of: error, for: request))
  }

  // MARK: The answer

  private func answer(_ request: HTTPRequest) -> Int32 {
    phase = .answering
    loop.deadlines.remove(wakeup)
    guard let wsi else { return -1 }
    // Nothing reads in this phase: a byte too many, or the peer's end, would wake the loop for ever.
    lws_rx_flow_control(wsi, 0)
    postern_clear_timeout(wsi)
    isInsideCallback = true
    defer { isInsideCallback = false }
    loop.serving.assumeIsolated { actor in
      _ = Task.immediate(executorPreference: loop.events) {
        _ = actor
        let response = await self.service.site.respond(to: request, on: self.loop.events)
        self.isAnswered = self.send(response)
        // From inside its own callback the library closes when told so by the result.
        if self.isAnswered && !self.isInsideCallback { self.kill() }
      }
    }
    return isAnswered ? -1 : 0
  }

  /// Writes what the peer takes at once. True if that is all and the connection can end.
  private func send(_ response: HTTPResponse) -> Bool {
    guard let wsi, case .answering = phase else { return false }
    let output = ResponseOutput(response.serialized(withoutBody: isHead), to: wsi)
    switch output.proceed() {
    case .finished, .failed:
      endRequest()
      return true
    case .waiting:
      phase = .writing
      self.output = output
      output.wait(on: loop) { [weak self] outcome in self?.outputMoved(outcome) }
      loop.deadlines.set(wakeup, at: loop.now + .seconds(30))
      return false
    }
  }

  private func outputMoved(_ outcome: ResponseOutput.Outcome) {
    switch outcome {
    case .waiting: loop.deadlines.set(wakeup, at: loop.now + .seconds(30))
    case .finished, .failed:
      endRequest()
      kill()
    }
  }

  /// Writes an answer whose request has been read whole; the caller returns the result to the library, which closes.
  func answerAtOnce(_ response: HTTPResponse) -> Int32 {
    _ = write(response.serialized(withoutBody: isHead))
    return -1
  }

  /// Writes an answer before the request has been read whole, then reads until the peer has seen it and closes.
  private func answerAndLinger(_ response: HTTPResponse) -> Int32 {
    phase = .lingering
    guard write(response.serialized(withoutBody: isHead)) >= 0 else { return -1 }
    loop.deadlines.set(wakeup, at: loop.now + .seconds(2))
    return 0
  }

  private func write(_ bytes: [UInt8]) -> Int32 {
    guard let wsi else { return -1 }
    return bytes.withUnsafeBytes { bytes in
      loop.scratch.with(bytes) { lws_write(wsi, $0, $1, LWS_WRITE_HTTP) }
    }
  }

  private func kill() {
    if let wsi { postern_kill(wsi) }
  }
}

extension ServerConnection: WakeupTarget {
  func wakeUp() {
    switch phase {
    case .body, .chunks:
      service.refusals.count(.bodyTimeout)
      _ = write(HTTPResponse.plain(408, "the body did not arrive in time").serialized(withoutBody: isHead))
    default: break
    }
    kill()
  }
}

extension HTTPResponse {
  /// The transport's own refusal.
  static func plain(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", text: text + "\n")
  }

  /// What a connection above a limit gets.
  static var overLimit: HTTPResponse {
    var response = plain(503, "too many connections")
    response.headers.append(HTTPField("retry-after", "1"))
    return response
  }
}
