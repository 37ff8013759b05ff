internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// A connection whose WebSocket has ended without notifying its peer, e.g. because a fault suppresses the gateway's
/// close frame. It counts as a connection until the peer disconnects or the time has passed.
final class UnansweredConnection: LoopConnection, WakeupTarget {
  private let host: VirtualHost
  private let descriptor: CInt
  private var watcher: IOWatcher?
  private lazy var wakeup = Wakeup(target: self)

  init(host: VirtualHost, descriptor: CInt) {
    self.host = host
    self.descriptor = descriptor
  }

  override var server: VirtualHost? { host }

  /// Starts the connection. The loop keeps it alive from here on.
  func start(for patience: Duration) {
    host.tally.connectionAssigned()
    host.loop.connections.append(self)
    host.loop.deadlines.set(wakeup, at: host.loop.now + patience)
    watcher = IOWatcher(descriptor: descriptor, on: host.loop) { [unowned self] in discard() }
    watcher?.watch(.readable)
  }

  /// Reads and discards bytes, to detect the peer's end.
  private func discard() {
    let count = read(descriptor, host.loop.inbound.baseAddress, host.loop.inbound.count)
    if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { end() }
  }

  func wakeUp() { end() }

  override func end() {
    guard let watcher else { return }
    watcher.stop()
    self.watcher = nil
    host.loop.deadlines.remove(wakeup)
    host.loop.connections.remove(self)
    close(descriptor)
    host.connectionEnded()
  }
}
