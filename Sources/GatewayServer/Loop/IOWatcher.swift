internal import CLibEV

/// A watcher that reports when a descriptor of ours becomes readable or writable. Only on its loop.
final class IOWatcher {
  struct Events: OptionSet {
    let rawValue: CInt
    static let readable = Events(rawValue: 1)
    static let writable = Events(rawValue: 2)
  }

  private let loop: SocketLoop
  private let descriptor: CInt
  private let ready: () -> Void
  private let watcher = UnsafeMutablePointer<ev_io>.allocate(capacity: 1)
  private var events: Events = []

  /// Creates a watcher that calls `ready` on the loop whenever a watched event has occurred.
  init(descriptor: CInt, on loop: SocketLoop, ready: @escaping () -> Void) {
    self.loop = loop
    self.descriptor = descriptor
    self.ready = ready
    prepare([])
  }

  deinit {
    stop()
    watcher.deallocate()
  }

  private func prepare(_ events: Events) {
    postern_ev_io_init(
      watcher,
      { _, watcher, _ in
        // Retained, because the callback may release it.
        Unmanaged<IOWatcher>.fromOpaque(watcher!.pointee.data).takeUnretainedValue().ready()
      }, descriptor, events.rawValue)
    watcher.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  /// Watches for `events` from here on, and no others.
  func watch(_ events: Events) {
    guard events != self.events, let ev = loop.watchers else { return }
    stop()
    // libev ends the process if a watcher waits for nothing.
    guard !events.isEmpty else { return }
    prepare(events)
    self.events = events
    ev_io_start(ev, watcher)
  }

  /// Watches for nothing; must be called before the descriptor is closed.
  func stop() {
    guard !events.isEmpty, let ev = loop.watchers else { return }
    ev_io_stop(ev, watcher)
    events = []
  }
}
