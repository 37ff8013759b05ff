internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

extension ServerConnection {
  /// The library has seen that a WebSocket is asked for; decides before it does anything about it.
  func upgradeAsked() -> Int32 {
    guard case .head = phase, let wsi, case .upgrade(var request) = arrival else { return -1 }
    guard excess == nil else { return answerAtOnce(.overLimit) }
    request.peer = clientAddress(of: request)
    switch service.site.admit(request, on: loop.events) {
    case .refuse(let response):
      return answerAtOnce(response)
    case .accept(let handler, let subprotocol):
      let handle = WebSocketHandle(
        host: host, handler: handler, peer: request.peer, acceptedAt: acceptedAt,
        handshake: Handshake(answering: subprotocol))
      handle.attach(to: wsi)
      return 0
    }
  }
}
