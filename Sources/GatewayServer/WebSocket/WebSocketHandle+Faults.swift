internal import CLibWebSockets
internal import GatewayRuntime

// The faults of a simulated gateway.
extension WebSocketHandle {
  func reset() {
    guard phase != .ended, let wsi else { return }
    // Anything of this socket in the loop's batch is dropped when its turn comes.
    phase = .ended
    postern_reset(wsi)
    loop.events.execute { self.kill() }
  }

  func stopReading() {
    guard !isDestroyed, wsi != nil else { return }
    loop.stopped.add(self)
    pauseReading()
  }

  func pauseReading() {
    guard isReading, !isDestroyed, let wsi else { return }
    isReading = false
    if lws_rx_flow_control(wsi, 0) < 0 { abort() }
  }

  func goOnReading() {
    guard !isReading, !isDestroyed, let wsi else { return }
    isReading = true
    loop.stopped.remove(self)
    if lws_rx_flow_control(wsi, 1) < 0 { abort() }
  }

  /// Leaves the connection open although the library is about to close it. Returns false if it may not stay.
  func keepOpen() -> Bool {
    guard let wsi, !host.isEnding else { return false }
    let connection = UnansweredConnection(host: host, descriptor: postern_keep(wsi))
    connection.start(for: host.limits.closeTimeout)
    return true
  }
}
