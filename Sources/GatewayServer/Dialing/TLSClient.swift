internal import CLibWebSockets
internal import GatewayRuntime

/// TLS on a non-blocking descriptor, the client's side. Only on its loop.
final class TLSClient {
  enum Step {
    /// That many bytes were moved; 0 is the end of the connection.
    case moved(Int)
    case needsReadable
    case needsWritable
    case failed(String)
    /// The handshake failed.
    case insecure(TLSFailure)
  }

  /// OpenSSL's context: what is trusted, and nothing of one connection.
  final class Context {
    let handle: OpaquePointer

    init?(allowsUntrusted: Bool) {
      guard let handle = postern_tls_client_context(allowsUntrusted ? 1 : 0) else { return nil }
      self.handle = handle
    }

    deinit { SSL_CTX_free(handle) }
  }

  private let ssl: OpaquePointer

  /// Nil if OpenSSL has no memory.
  init?(_ context: Context, descriptor: CInt, host: String) {
    guard let ssl = postern_tls_client(context.handle, descriptor, host) else { return nil }
    self.ssl = ssl
  }

  deinit { SSL_free(ssl) }

  func handshake() -> Step { step(SSL_connect(ssl), isHandshake: true) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
    step(SSL_read(ssl, buffer.baseAddress, CInt(clamping: buffer.count)))
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Step {
    step(SSL_write(ssl, bytes.baseAddress, CInt(clamping: bytes.count)))
  }

  private func step(_ result: CInt, isHandshake: Bool = false) -> Step {
    if result > 0 { return .moved(Int(result)) }
    let error = SSL_get_error(ssl, result)
    switch error {
    case SSL_ERROR_WANT_READ: return .needsReadable
    case SSL_ERROR_WANT_WRITE: return .needsWritable
    case SSL_ERROR_ZERO_RETURN: return isHandshake ? .insecure(.handshake) : .moved(0)
    default:
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        buffer.initialize(repeating: 0)
        let end = postern_tls_explain(ssl, buffer.baseAddress, buffer.count)
        if isHandshake { return .insecure(TLSFailure(end) ?? .handshake) }
        return .failed("TLS: \(String(cString: buffer.baseAddress!))")
      }
    }
  }
}
