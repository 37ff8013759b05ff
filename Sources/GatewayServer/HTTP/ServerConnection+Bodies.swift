internal import GatewayCore
internal import GatewayRuntime

/// Bodies of requests that are passed on as they arrive, while the site answers.
extension ServerConnection {
  /// Returns whether the site gets a large body in pieces.
  func passesBody(of request: HTTPRequest) -> Bool {
    !asksForTunnel(request) && service.site.passesBody(of: request)
  }

  /// Begins to pass on a body. Returns the request for the site, and how many of the bytes belong to it.
  func pass(
    _ body: RequestBody, of request: HTTPRequest, behind piece: UnsafeRawBufferPointer, awaitsContinue: Bool
  ) -> (used: Int, Arrival) {
    let incoming = IncomingBody(body, on: self, awaitsContinue: awaitsContinue)
    self.incoming = incoming
    phase = .head
    var used = piece.count
    switch incoming.add(piece) {
    case .needsMore: break
    case .complete(let count):
      used = count
      endIncoming(isWhole: true)
    case .tooLong, .malformed:
      endIncoming(isWhole: false)
      return (used, .refused(.plain(400, Self.malformedChunks), .malformedRequest))
    }
    var request = request
    request.stream = incoming.stream()
    return (used, .request(request))
  }

  /// The longest wait for the rest of a body that nobody reads.
  private static let bodyLingerMax = Duration.seconds(30)

  static let malformedChunks = "the body's chunks are malformed"

  /// The events that the body of the request waits for.
  var bodyEvents: IOWatcher.Events { incoming?.hasRoom == true ? stream.readNeeds : [] }

  /// Reads what has come of the body, as far as there is room.
  func receiveBody() {
    while let incoming, incoming.hasRoom {
      switch stream.read(into: loop.inbound) {
      case .moved(0), .failed: return end()
      case .moved(let count):
        take(UnsafeRawBufferPointer(rebasing: loop.inbound[..<count]), of: incoming)
        if !stream.hasPending { return rewatch() }
      case .needs: return rewatch()
      }
    }
    rewatch()
  }

  private func take(_ piece: UnsafeRawBufferPointer, of incoming: IncomingBody) {
    switch incoming.add(piece) {
    case .needsMore: break
    case .complete(let used):
      if used < piece.count { pending = Array(piece[used...]) }
      endIncoming(isWhole: true)
    case .tooLong, .malformed: refuseRest(.plain(400, Self.malformedChunks), .malformedRequest)
    }
  }

  /// Ends a body that cannot be passed on: with an answer if none has begun.
  private func refuseRest(_ response: HTTPResponse, _ reason: TransportRefusals.Reason) {
    if case .answering = phase { return refuse(response, reason) }
    service.refusals.count(reason)
    end()
  }

  /// Refuses a client that has sent nothing for too long. One that is being answered may wait for the answer's end.
  func bodyStalls() {
    guard case .answering = phase else { return }
    refuse(.plain(408, "the body did not arrive in time"), .bodyTimeout)
  }

  /// Asks the client for the body, if it waits for that, and reads on.
  func readerAsks(for body: IncomingBody) {
    if body.awaitsContinue, case .answering = phase {
      body.continueIsSent()
      write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    goOnReceivingBody()
  }

  func goOnReceivingBody() {
    guard incoming != nil else { return }
    rewatch()
    // No event reports bytes that OpenSSL has received already.
    if stream.hasPending { loop.events.execute { [self] in if incoming != nil { receiveBody() } } }
  }

  /// Ends the body of the request, if it is passed on and not whole yet.
  func endIncoming(isWhole: Bool) {
    guard let ended = incoming else { return }
    incoming = nil
    if !isWhole {
      caller?.leave()
      lingersUntil = loop.now + Self.bodyLingerMax
    }
    ended.end(isWhole: isWhole)
  }
}
