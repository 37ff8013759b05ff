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

  /// Watches the pings as they are read, so that the handler is told of each in its place among the messages. The library's own
  /// answers may come later.
  func watchPings() {
    guard let wsi else { return }
    watchesPings = true
    postern_watch_pings(lws_get_socket_fd(wsi), Unmanaged.passUnretained(self).toOpaque())
  }

  func stopWatchingPings() {
    guard watchesPings else { return }
    watchesPings = false
    if let wsi { postern_unwatch_pings(lws_get_socket_fd(wsi)) }
  }

  /// Notes a ping that was read. The library's next callback about this socket tells of it, or the next turn of the loop.
  func notePing(_ payload: UnsafeRawBufferPointer) {
    hasNewPing = true
    loop.pings[ObjectIdentifier(self), default: []].append(Array(payload))
    loop.events.execute { if self.hasNewPing { self.tellPing() } }
  }

  /// Notes the ping that the library is about to answer, and returns whether it may. The library writes its pong when
  /// the socket is writable, and then calls back again, so the next callback follows soon. Our own pongs may always be
  /// written.
  func answersPing(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard !loop.isWritingControl else { return true }
    if watchesPings, let wsi, postern_take_early_ping(lws_get_socket_fd(wsi)) == 0 { return answersPings }
    hasNewPing = true
    if !answersPings { loop.pings[ObjectIdentifier(self), default: []].append(Array(payload)) }
    return answersPings
  }

  /// Tells the handler of the pings.
  func tellPing() {
    hasNewPing = false
    let payloads = watchesPings || !answersPings ? loop.pings.removeValue(forKey: ObjectIdentifier(self)) ?? [[]] : [[]]
    for payload in payloads where phase == .open {
      (answersPings ? [] : payload).withUnsafeBytes { handler?.socketReceivedPing($0) }
    }
  }

  func receivedPong(_ payload: UnsafeRawBufferPointer) {
    guard hasPingedForEmpty, payload.elementsEqual(Self.usualPayload) else {
      return handler?.socketReceivedPong(payload) ?? ()
    }
    hasPingedForEmpty = false
    handler?.socketReceivedPong(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
