internal import CLibWebSockets
package import GatewayRuntime

/// The client's side of TLS on a non-blocking descriptor. Only on its loop.
final class TLSClient {
  /// The outcome of one attempt to move bytes.
  enum Step {
    /// The number of bytes that were moved; 0 is the end of the connection.
    case moved(Int)
    case needsReadable
    case needsWritable
    case failed(String)
    /// The handshake failed.
    case insecure(TLSFailure)
  }

  /// An OpenSSL context: the trusted authorities and the client's certificate, without any state of one connection.
  final class Context {
    let handle: OpaquePointer

    /// Creates a context. Throws if a file of the identity is unusable.
    init(allowsUntrusted: Bool, identity: TLSIdentity? = nil) throws(ServerError) {
      guard let handle = postern_tls_client_context(allowsUntrusted ? 1 : 0) else {
        throw .badCertificate("no memory for TLS")
      }
      self.handle = handle
      if let path = identity?.caPath { try Self.trust(path, handle) }
      if let certificate = identity?.certificatePath, let key = identity?.keyPath {
        let files = try TLSCertificate(reading: TLSFiles(certificatePath: certificate, keyPath: key))
        guard postern_certificate_apply(files.handle, handle) == 0 else {
          throw .badCertificate("\(certificate) and \(key) cannot be used")
        }
      }
    }

    private static func trust(_ path: String, _ context: OpaquePointer) throws(ServerError) {
      var reason = ""
      let result = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        buffer.initialize(repeating: 0)
        let result = postern_tls_client_trust(context, path, buffer.baseAddress, buffer.count)
        reason = String(cString: buffer.baseAddress!)
        return result
      }
      guard result == 0 else { throw .badCertificate(reason) }
    }

    deinit { SSL_CTX_free(handle) }
  }

  private let ssl: OpaquePointer

  /// Creates a session; nil if OpenSSL has no memory.
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

  /// Whether OpenSSL has received bytes that were not read yet; no event reports them.
  var hasPending: Bool { SSL_has_pending(ssl) != 0 }

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
        if end == postern_tls_client_unwelcome { return .insecure(.clientUnwelcome) }
        return .failed("TLS: \(String(cString: buffer.baseAddress!))")
      }
    }
  }
}

extension TLSIdentity {
  /// Throws if one of the files is unusable.
  package func check() throws(ServerError) {
    _ = try TLSClient.Context(allowsUntrusted: false, identity: self)
  }
}
