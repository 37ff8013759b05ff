internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// A listener's part of one loop: a libwebsockets virtual host in each of the loop's contexts that has had a connection of it.
final class VirtualHost {
  unowned let loop: SocketLoop
  /// The name of the vhost. The library looks up a WebSocket's vhost again by the `Host` of the upgrade request, or uses any.
  let name: String
  let limits: ServerLimits
  /// The count of the served connections.
  let tally: LoopTally
  private let contexts: LibraryContexts
  /// The library's virtual hosts, one for each context.
  private var handles: [OpaquePointer?]
  /// The handles of connections with TLS on a port that also serves plain text.
  private var secureHandles: [OpaquePointer?]
  private let hasTLS: Bool
  /// The library's TLS context of the vhost, for a change of certificate.
  private(set) var tls: OpaquePointer?
  /// The endpoint of the connection that the library is being given.
  private(set) var arriving: Endpoint?
  /// Whether it accepts no more connections.
  private(set) var isEnding = false
  /// The tasks that wait for its last connection to end.
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Creates a vhost; nil if the library cannot make it. Only on the loop.
  init?(
    named name: String, on loop: SocketLoop, contexts: LibraryContexts, limits: ServerLimits, tally: LoopTally,
    tls: TLSFiles?
  ) {
    self.loop = loop
    self.name = name
    self.limits = limits
    self.tally = tally
    self.contexts = contexts
    handles = Array(repeating: nil, count: contexts.count)
    secureHandles = handles
    hasTLS = tls != nil
    guard handle(at: 0, tls: tls) != nil else { return nil }
  }

  /// Returns the library's virtual host in a context, which is made if there is none; nil if the library refuses. Handshakes
  /// use the first one's certificate, so the others need no files.
  private func handle(at index: Int, tls: TLSFiles? = nil) -> OpaquePointer? {
    guard handles.indices.contains(index) else { return nil }
    if let handle = handles[index] { return handle }
    guard let context = contexts.context(at: index) else { return nil }
    let user = Unmanaged.passUnretained(self).toOpaque()
    handles[index] = name.withCString { name in
      Self.withFiles(tls) { certificate, key in
        var settings = postern_vhost_settings(
          name: name, certificate_path: certificate, key_path: key, takes_tls: hasTLS ? 1 : 0,
          rx_buffer_bytes: SocketLoop.receiveBufferBytes,
          handshake_seconds: limits.handshakeSeconds, user: user)
        return postern_vhost_create(context, &settings)
      }
    }
    return handles[index]
  }

  /// Returns the library's virtual host in a context for a connection that has TLS although the port serves plain text too.
  private func secureHandle(at index: Int) -> OpaquePointer? {
    guard secureHandles.indices.contains(index) else { return nil }
    if let handle = secureHandles[index] { return handle }
    guard let context = contexts.context(at: index) else { return nil }
    let user = Unmanaged.passUnretained(self).toOpaque()
    secureHandles[index] = secureName.withCString { name in
      var settings = postern_vhost_settings(
        name: name, certificate_path: nil, key_path: nil, takes_tls: 1,
        rx_buffer_bytes: SocketLoop.receiveBufferBytes, handshake_seconds: limits.handshakeSeconds, user: user)
      return postern_vhost_create(context, &settings)
    }
    return secureHandles[index]
  }

  /// The name of the vhost for connections with TLS on a port that also serves plain text.
  private var secureName: String { "tls.\(name)" }

  /// Returns the name of the vhost that takes a connection.
  func name(withTLS isSecure: Bool) -> String { isSecure && !hasTLS ? secureName : name }

  private static func withFiles<Result>(
    _ tls: TLSFiles?, _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let tls else { return body(nil, nil) }
    return tls.certificatePath.withCString { certificate in
      tls.keyPath.withCString { key in body(certificate, key) }
    }
  }

  /// Returns the vhost that a connection belongs to.
  static func of(_ wsi: OpaquePointer) -> VirtualHost? {
    guard let vhost = lws_get_vhost(wsi), let user = lws_get_vhost_user(vhost) else { return nil }
    return Unmanaged<VirtualHost>.fromOpaque(user).takeUnretainedValue()
  }

  /// Notes the TLS context that the library has made for a vhost; `wsi` is a dummy that the library uses for this call.
  static func hasTLS(_ wsi: OpaquePointer, _ context: UnsafeMutableRawPointer?) {
    guard let context, let vhost = of(wsi), vhost.hasTLS, vhost.tls == nil else { return }
    vhost.tls = OpaquePointer(context)
  }

  /// Uses `certificate` from the next handshake on. Returns false, and changes nothing, if OpenSSL rejects it.
  func apply(_ certificate: TLSCertificate) -> Bool {
    guard let tls else { return false }
    return postern_certificate_apply(certificate.handle, tls) == 0
  }

  /// Gives the library a connection, to become a WebSocket, with the bytes read from it: `head` bytes of an upgrade request,
  /// and the bytes after them. `endpoint` gets the later callbacks, the first inside this call, or none if the library has no
  /// room.
  func adopt(_ descriptor: CInt, _ session: OpaquePointer?, _ bytes: [UInt8], head: Int, as endpoint: Endpoint) {
    let index = contexts.index(of: descriptor)
    guard let handle = session != nil && !hasTLS ? secureHandle(at: index) : handle(at: index) else {
      if let session { SSL_free(session) }
      close(descriptor)
      return
    }
    arriving = endpoint
    _ = bytes.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        postern_adopt(handle, descriptor, session, $0.baseAddress, $0.count, head)
      }
    }
    arriving = nil
  }

  // MARK: The end

  /// Counts the end of one of its connections, and resumes the waiting tasks after the last.
  func connectionEnded() {
    tally.connectionEnded()
    guard !waiters.isEmpty, isEmpty else { return }
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Whether the library has nothing of it any more.
  var hasEnded: Bool { handles.isEmpty }

  private var isEmpty: Bool { tally.count == 0 }

  /// Ends the vhost: it accepts no more connections, closes each without notice, and releases the library's part when the last
  /// one has ended. Only from a task on the loop.
  nonisolated(nonsending) func end() async {
    loop.events.preconditionOnLoop()
    guard !isEnding else { return await lastConnection() }
    isEnding = true
    for connection in loop.connections(of: self) { connection.end() }
    var sockets: [Endpoint] = []
    withUnsafeMutablePointer(to: &sockets) { sockets in
      for handle in handles + secureHandles {
        guard let handle else { continue }
        postern_vhost_visit(
          handle,
          { endpoint, sockets in
            let endpoint = Unmanaged<Endpoint>.fromOpaque(endpoint!).takeUnretainedValue()
            sockets!.assumingMemoryBound(to: [Endpoint].self).pointee.append(endpoint)
          }, sockets)
      }
    }
    for socket in sockets { if let wsi = socket.wsi { postern_kill(wsi) } }
    await lastConnection()
    // Otherwise the loop has ended meanwhile, and releases it itself.
    guard loop.contexts != nil, !hasEnded else { return }
    loop.remove(self)
    for handle in handles + secureHandles { if let handle { postern_vhost_destroy(handle) } }
    handles = []
    secureHandles = []
  }

  private nonisolated(nonsending) func lastConnection() async {
    if !isEmpty { await withCheckedContinuation { waiters.append($0) } }
  }

  /// Frees the memory; only after the library's context is gone.
  func free() {
    for handle in handles + secureHandles { if let handle { postern_vhost_free(handle) } }
    handles = []
    secureHandles = []
  }
}
