internal import CLibEV
internal import CLibWebSockets

/// The bytes of an answer on their way out, as fast as the peer reads.
///
/// Waits with a watcher of its own: while the library's reading is held back, which keeps a peer that has ended its side
/// from waking the loop for ever, it has no writeable callback either.
final class ResponseOutput {
  enum Outcome {
    case finished
    /// The peer must read first.
    case waiting
    case failed
  }

  private let bytes: [UInt8]
  private let wsi: OpaquePointer
  private var sent = 0
  private var watcher: IOWatcher?
  private static let pieceBytes = 64 << 10

  init(_ bytes: [UInt8], to wsi: OpaquePointer) {
    self.bytes = bytes
    self.wsi = wsi
  }

  /// Writes what the peer takes now.
  func proceed() -> Outcome {
    while true {
      if lws_partial_buffered(wsi) != 0 {
        guard lws_write(wsi, nil, 0, LWS_WRITE_HTTP) >= 0 else { return .failed }
        if lws_partial_buffered(wsi) != 0 { return .waiting }
      }
      guard sent < bytes.count else { return .finished }
      let count = min(Self.pieceBytes, bytes.count - sent)
      let written = bytes.withUnsafeBytes { bytes in
        // The library does not write to what it sends over HTTP.
        lws_write(
          wsi, UnsafeMutableRawPointer(mutating: bytes.baseAddress! + sent).assumingMemoryBound(to: UInt8.self), count,
          LWS_WRITE_HTTP)
      }
      guard written >= 0 else { return .failed }
      sent += count
    }
  }

  /// Goes on whenever the peer has read, and tells `moved` each time until it is finished or has failed.
  func wait(on loop: SocketLoop, moved: @escaping (Outcome) -> Void) {
    watcher = IOWatcher(descriptor: lws_get_socket_fd(wsi), on: loop) { [unowned self] in
      let outcome = proceed()
      if outcome != .waiting { stop() }
      moved(outcome)
    }
    watcher?.watch(.writable)
  }

  /// Waits no longer.
  func stop() {
    watcher?.stop()
  }
}
