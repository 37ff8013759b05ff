internal import CLibWebSockets
internal import GatewayRuntime

/// The TLS session of a client's connection on a non-blocking descriptor. Only on its loop.
final class TLSServer {
  /// The state of the handshake.
  enum Handshake {
    case done
    case needs(IOWatcher.Events)
    case failed(TransportRefusals.Reason)
  }

  private var session: OpaquePointer?

  /// Creates a session with the context's current certificate; nil if OpenSSL has no memory.
  init?(_ context: OpaquePointer, descriptor: CInt) {
    guard let session = postern_tls_server(context, descriptor) else { return nil }
    self.session = session
  }

  deinit { SSL_free(session) }

  func handshake() -> Handshake {
    var end = postern_tls_done
    switch postern_tls_accept(session, &end) {
    case 1: return .done
    case CInt(postern_tls_wants_read): return .needs(.readable)
    case CInt(postern_tls_wants_write): return .needs(.writable)
    default: return .failed(TransportRefusals.Reason(end))
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferStep {
    TransferStep(tls: postern_tls_read(session, buffer.baseAddress, buffer.count))
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> TransferStep {
    TransferStep(tls: postern_tls_write(session, bytes.baseAddress, bytes.count))
  }

  /// The host that the client named in its handshake; nil for none.
  var serverName: String? {
    session.flatMap { SSL_get_servername($0, TLSEXT_NAMETYPE_host_name) }.map { String(cString: $0) }
  }

  /// Whether OpenSSL has received bytes that were not read yet; no event reports them.
  var hasPending: Bool { SSL_has_pending(session) != 0 }

  /// Announces our end.
  func endSending() { postern_tls_end_sending(session) }

  /// Passes the session to a new owner, which frees it.
  func release() -> OpaquePointer? {
    defer { session = nil }
    return session
  }
}

extension TransportRefusals.Reason {
  /// Converts the result of a failed handshake.
  fileprivate init(_ end: postern_tls_end) {
    self =
      switch end {
      case postern_tls_plain_text: .tlsPlainText
      case postern_tls_alert, postern_tls_client_unwelcome: .tlsAlert
      case postern_tls_ended: .tlsUnfinished
      default: .tlsHandshake
      }
  }
}

/// The outcome of reading or writing without blocking.
enum TransferStep: Equatable {
  /// The number of bytes moved; 0 bytes read is the end.
  case moved(Int)
  /// No byte until that event.
  case needs(IOWatcher.Events)
  case failed

  fileprivate init(tls result: Int) {
    self =
      switch result {
      case 0...: .moved(result)
      case postern_tls_wants_read: .needs(.readable)
      case postern_tls_wants_write: .needs(.writable)
      default: .failed
      }
  }
}
