internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

extension ServerConnection {
  /// The peer asks for an upgrade; decides before the library does anything about it.
  func upgradeAsked() -> Int32 {
    guard case .head = phase, let wsi else { return -1 }
    let head = RequestHead(wsi: wsi)
    // For any other Upgrade the library has answered and let go of the head by now, but goes on (CVE-2025-11677).
    guard head.upgrade?.lowercased() == "websocket" else {
      return head.upgrade == nil ? -1 : answerAtOnce(.plain(400, "the only Upgrade is websocket"))
    }
    guard !isOverLimit else { return answerAtOnce(.overLimit) }
    guard var request = head.request(extraHeaders: service.extraHeaders) else {
      return answerAtOnce(.plain(400, "the request is malformed"))
    }
    guard head.size(of: request) <= service.limits.headerBytesMax else {
      return answerAtOnce(.plain(431, "the request's head is above \(service.limits.headerBytesMax) bytes"))
    }
    if let refusal = UpgradeCheck.refusal(of: request, version: head.version) { return answerAtOnce(refusal) }
    request.peer = peerAddress()
    switch service.site.admit(request, on: loop.events) {
    case .refuse(let response):
      return answerAtOnce(response)
    case .accept(let handler, let subprotocol):
      accept(wsi, request, handler, subprotocol)
      return 0
    }
  }

  private func accept(
    _ wsi: OpaquePointer, _ request: HTTPRequest, _ handler: any SocketHandler, _ subprotocol: String?
  ) {
    let handle = WebSocketHandle(
      host: host, handler: handler, peer: request.peer, acceptedAt: acceptedAt,
      handshake: Handshake(answering: subprotocol))
    // The library goes on only if it knows a subprotocol that is offered: it is told it knows the first.
    host.setSubprotocol(UpgradeCheck.firstSubprotocol(of: request) ?? "")
    handle.attach(to: wsi)
  }
}
