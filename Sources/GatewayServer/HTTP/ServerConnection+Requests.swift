internal import GatewayCore
internal import GatewayRuntime

extension ServerConnection {
  /// The result of received bytes.
  enum Arrival {
    case needsMore
    /// A whole request, with its body.
    case request(HTTPRequest)
    case upgrade(HTTPRequest)
    case refused(HTTPResponse, TransportRefusals.Reason?)
    case bodyTooLarge(HTTPRequest)
  }

  /// Whether it waits for a request, or the rest of one; not if it only waits to get its 503.
  var owesRequest: Bool {
    switch phase {
    case .greeting, .securing, .head, .body: excess == nil
    default: false
    }
  }

  /// Continues reading a request. Returns how many of the bytes belong to it.
  func advance(_ piece: UnsafeRawBufferPointer) -> (used: Int, Arrival) {
    switch phase {
    case .idle:
      leaveIdle()
      return readHead(piece)
    case .head: return readHead(piece)
    case .body(let request): return readBody(piece, of: request)
    default: return (piece.count, .needsMore)
    }
  }

  private func readHead(_ piece: UnsafeRawBufferPointer) -> (used: Int, Arrival) {
    isHead = false
    persistence = .closes
    takesChunks = false
    switch head.append(piece) {
    case .needsMore:
      return (piece.count, .needsMore)
    case .tooLong:
      let text = "the request's head is above \(host.limits.headerBytesMax) bytes"
      return (piece.count, .refused(.plain(431, text), .tooLarge))
    case .malformed:
      return (piece.count, .refused(.plain(400, "the port speaks HTTP/1.1 and no TLS"), .malformedRequest))
    case .complete(let used):
      let reading = RequestHead.read(head.bytes, takesConnect: service.tunnels != nil)
      let arrival = RequestArrival(reading, limits: host.limits, bytesMax: acceptedBytesMax)
      head = HeadBuffer(bytesMax: host.limits.headerBytesMax)
      requests += 1
      guard excess == nil else { return (used, .refused(.overLimit, nil)) }
      return readOn(arrival, piece, used)
    }
  }

  private func readOn(
    _ arrival: RequestArrival, _ piece: UnsafeRawBufferPointer, _ used: Int
  ) -> (used: Int, Arrival) {
    switch arrival {
    case .upgrade(var request):
      request.isSecure = stream.tls != nil
      return (used, .upgrade(request))
    case .refused(let response, let reason): return (used, .refused(response, reason))
    case .tooLarge(let request):
      isHead = request.method == "HEAD"
      return (used, .bodyTooLarge(request))
    case .request(let request, let framing, let awaitsContinue, let persistence, let takesChunks):
      beginRequest()
      isHead = request.method == "HEAD"
      self.takesChunks = takesChunks
      self.persistence = requests < Self.requestsMax ? persistence : .closes
      if case .length(0) = framing { return (used, .request(request)) }
      let rest = UnsafeRawBufferPointer(rebasing: piece[used...])
      if case .length(let length) = framing, length > host.limits.bodyBytesMax, length > bodyBytesMax(of: request) {
        let body = RequestBody(framing, bytesMax: length)
        let (more, arrival) = pass(body, of: request, behind: rest, awaitsContinue: awaitsContinue)
        return (used + more, arrival)
      }
      guard takeRoom(for: framing, of: request) else {
        let error = GatewayError.overloaded.detailed("too many uploads at once")
        return (used, .refused(service.site.refusal(of: error, for: request), nil))
      }
      if awaitsContinue { write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
      if case .gone = phase { return (used, .needsMore) }
      wait(host.limits.handshakeTimeout)
      body = RequestBody(framing, bytesMax: bodyBytesMax(of: request))
      let (more, arrival) = readBody(rest, of: request)
      return (used + more, arrival)
    }
  }

  /// Returns the most bytes of the request's body; an upload may have a higher limit than usual.
  private func bodyBytesMax(of request: HTTPRequest) -> Int {
    max(host.limits.bodyBytesMax, service.site.uploadBytesMax(for: request) ?? 0)
  }

  /// Returns the most bytes of a body that is not refused by its length.
  private func acceptedBytesMax(of request: HTTPRequest) -> Int {
    passesBody(of: request) ? .max : bodyBytesMax(of: request)
  }

  /// Reserves room for a body that is or may be larger than usual; returns false if there is none.
  private func takeRoom(for framing: RequestArrival.BodyFraming, of request: HTTPRequest) -> Bool {
    let bytes =
      switch framing {
      case .length(let length): length
      case .chunked: bodyBytesMax(of: request)
      }
    guard bytes > host.limits.bodyBytesMax else { return true }
    guard service.uploads.take(bytes) else { return false }
    uploadBytes = bytes
    return true
  }

  private func readBody(_ piece: UnsafeRawBufferPointer, of request: HTTPRequest) -> (used: Int, Arrival) {
    switch body?.append(piece) ?? .malformed {
    case .needsMore:
      phase = .body(request)
      return (piece.count, .needsMore)
    case .complete(let used):
      var request = request
      request.body = body?.bytes ?? []
      body = nil
      phase = .head
      return (used, .request(request))
    case .tooLong:
      guard var begun = body, passesBody(of: request) else { return (piece.count, .bodyTooLarge(request)) }
      body = nil
      let used = begun.goOnWithoutLimit()
      let rest = UnsafeRawBufferPointer(rebasing: piece[used...])
      let (more, arrival) = pass(begun, of: request, behind: rest, awaitsContinue: false)
      return (used + more, arrival)
    case .malformed:
      return (piece.count, .refused(.plain(400, Self.malformedChunks), .malformedRequest))
    }
  }

  func act(on arrival: Arrival) {
    switch arrival {
    case .needsMore: break
    case .request(let request):
      if let refusal = tunnelRefusal(of: request) { return refuse(refusal, nil) }
      if asksForTunnel(request) { openTunnel(request) } else { answer(request) }
    case .upgrade(let request):
      if let refusal = tunnelRefusal(of: request) { return refuse(refusal, nil) }
      upgrade(request)
    case .refused(let response, let reason): refuse(response, reason)
    case .bodyTooLarge(let request):
      let error = GatewayError.bodyTooLarge.detailed("\(bodyBytesMax(of: request)) bytes")
      refuse(service.site.refusal(of: error, for: request), .tooLarge)
    }
  }

  private func answer(_ request: HTTPRequest) {
    var request = request
    request.peer = clientAddress(of: request)
    request.cameByProxy = service.proxies.contain(peer: peerAddress)
    siteBegins()
    loop.serving.assumeIsolated { actor in
      let caller = RequestCaller()
      self.caller = caller
      HTTPCall.$caller.withValue(caller) {
        _ = Task.immediate(executorPreference: loop.events) {
          _ = actor
          self.answered(await self.service.site.respond(to: request, on: self.loop.events))
        }
      }
    }
  }

  private func answered(_ response: HTTPResponse) {
    guard case .answering = phase else { return }
    // Without chunks or a length, only the end of the connection marks the end of a streamed body.
    let isEndless = response.stream != nil && !takesChunks && response.contentLength == nil
    let isLast = service.requests.isFinishing || isEndless || incoming != nil
    let persistence = isLast ? .closes : persistence
    let ending: Ending = incoming != nil ? .linger : persistence == .closes ? .end : .nextRequest
    send(response, persistence, then: ending)
  }

  /// Answers a request that cannot be served, and ends the connection when the peer has read that.
  func refuse(_ response: HTTPResponse, _ reason: TransportRefusals.Reason?) {
    body = nil
    endIncoming(isWhole: false)
    if let reason { service.refusals.count(reason) }
    if excess == nil { beginRequest() }
    send(response, .closes, then: .linger)
  }

  /// The longest time for which a request is ignored.
  private static let ignoredTime = Duration.seconds(900)

  /// Sends nothing until the peer disconnects.
  private func ignore() {
    siteBegins()
    wait(Self.ignoredTime)
  }

  private func upgrade(_ asked: HTTPRequest) {
    var request = asked
    request.peer = clientAddress(of: request)
    request.cameByProxy = service.proxies.contain(peer: peerAddress)
    switch service.site.admit(request, on: loop.events) {
    case .refuse(let response): refuse(response, nil)
    case .ignore: ignore()
    case .accept(let handler, let subprotocol):
      open(request, for: handler, Handshake(answering: subprotocol))
    case .later(let upgrade): awaitAnswer(of: upgrade, to: request)
    }
  }

  private func open(_ request: HTTPRequest, for handler: any SocketHandler, _ handshake: Handshake) {
    let handle = WebSocketHandle(
      host: host, handler: handler, peer: request.peer, acceptedAt: beganAt, handshake: handshake)
    let head = standIn(for: request)
    let (descriptor, session, bytes) = handOver(behind: head)
    host.adopt(descriptor, session, bytes, head: head.utf8.count, as: handle)
    // The library had no room for it, and so will not report its end either.
    if handle.wsi == nil && !handle.isDestroyed { handle.connectionDestroyed() }
  }

  /// Sends nothing until the upgrade's answer is there, or the client disconnects.
  private func awaitAnswer(of upgrade: PendingUpgrade, to request: HTTPRequest) {
    siteBegins()
    wait(Self.ignoredTime)
    awaitedUpgrade = upgrade
    upgrade.answered { [weak self] answer in self?.decided(answer, on: request) }
  }

  private func decided(_ answer: PendingUpgrade.Answer, on request: HTTPRequest) {
    awaitedUpgrade = nil
    switch answer {
    case .refuse(let response): refuse(response, nil)
    case .accept(let handler, let subprotocol, let fields):
      guard Handshake.hasRoom(for: fields) else {
        let text = "the fields of the 101 are above \(Handshake.fieldBytesMax) bytes"
        handler.socketRefused(.unreachable(text))
        return refuse(.plain(502, text), nil)
      }
      open(request, for: handler, Handshake(answering: subprotocol, fields: fields))
    }
  }

  /// Notes that the client has left before the answer.
  func forgetUpgrade() {
    let left = awaitedUpgrade
    awaitedUpgrade = nil
    left?.leave()
  }

  // MARK: Requests under way

  /// Counts the request, which has been read far enough to be answered.
  func beginRequest() {
    guard !isUnderWay else { return }
    isUnderWay = true
    service.requests.begin()
  }

  /// Ends the request: its answer was passed to the system completely, or never will be.
  func endRequest() {
    guard isUnderWay else { return }
    isUnderWay = false
    service.requests.end()
    service.uploads.giveBack(&uploadBytes)
  }

  /// Returns a head that the library reads instead of the received one; it contains only what the library needs.
  private func standIn(for request: HTTPRequest) -> String {
    "GET / HTTP/1.1\r\nHost: \(host.name(withTLS: stream.tls != nil))\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: \(request.header("sec-websocket-key") ?? "")\r\n\r\n"
  }
}

extension HTTPResponse {
  /// Returns the transport's own refusal.
  static func plain(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", text: text + "\n")
  }

  /// The answer to a connection above a limit.
  static var overLimit: HTTPResponse {
    var response = plain(503, "too many connections")
    response.headers.append(HTTPField("retry-after", "1"))
    return response
  }
}
