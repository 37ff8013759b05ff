internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

// Pings and pongs.
extension WebSocketHandle {
  /// The payload for a ping without one: the library drops a pong without a payload.
  private static let usualPayload: [UInt8] = [UInt8(ascii: "p")]

  func ping() { send(.ping(Self.usualPayload)) }

  func ping(_ payload: [UInt8]) {
    guard payload.isEmpty else { return send(.ping(payload)) }
    hasPingedForEmpty = true
    ping()
  }

  func pong(_ payload: [UInt8]) { send(.pong(payload)) }

  private func send(_ item: OutboundQueue.Item) {
    writeBatch()
    guard phase == .open, let wsi else { return }
    guard maySendAtOnce else {
      if waitingBytes + item.cost <= host.limits.outboundBytesMax { enqueue(item) }
      return
    }
    switch item {
    case .ping(let payload): writeControl(payload, LWS_WRITE_PING, to: wsi)
    case .pong(let payload): writeControl(payload, LWS_WRITE_PONG, to: wsi)
    case .frame, .close: break
    }
  }

  func writeControl(_ payload: [UInt8], _ kind: lws_write_protocol, to wsi: OpaquePointer) {
    loop.isWritingControl = true
    let written = payload.withUnsafeBytes { bytes in loop.scratch.with(bytes) { lws_write(wsi, $0, $1, kind) } }
    loop.isWritingControl = false
    if written < 0 { abort() } else { noteHeld(payload.count, wsi) }
  }

  /// Notes the ping that the library is about to answer, and returns whether it may. The library writes its pong when
  /// the socket is writable, and then calls back again, so the next callback follows soon. Our own pongs may always be
  /// written.
  func answersPing(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard !loop.isWritingControl else { return true }
    hasNewPing = true
    if !answersPings { loop.pings[ObjectIdentifier(self)] = Array(payload) }
    return answersPings
  }

  /// Tells the handler of the ping.
  func tellPing() {
    hasNewPing = false
    let payload = answersPings ? [] : loop.pings.removeValue(forKey: ObjectIdentifier(self)) ?? []
    if phase == .open { payload.withUnsafeBytes { handler?.socketReceivedPing($0) } }
  }

  func receivedPong(_ payload: UnsafeRawBufferPointer) {
    guard hasPingedForEmpty, payload.elementsEqual(Self.usualPayload) else {
      return handler?.socketReceivedPong(payload) ?? ()
    }
    hasPingedForEmpty = false
    handler?.socketReceivedPong(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
