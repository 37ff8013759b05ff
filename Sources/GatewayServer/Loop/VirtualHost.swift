internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// A listener's part of one loop: a virtual host of libwebsockets in each of the loop's contexts that has had a connection
/// of it.
final class VirtualHost {
  unowned let loop: SocketLoop
  /// The library finds a WebSocket's vhost once more by the `Host` of the upgrade request, or takes any.
  let name: String
  let limits: ServerLimits
  /// Counts the connections that are served.
  let tally: LoopTally
  private let contexts: LibraryContexts
  /// The library's virtual hosts, one for each context.
  private var handles: [OpaquePointer?]
  private let hasTLS: Bool
  /// The library's TLS context of the vhost, for a change of certificate.
  private(set) var tls: OpaquePointer?
  /// The one to hear of the connection that the library is being given.
  private(set) var arriving: Endpoint?
  /// Whether it takes nobody any more.
  private(set) var isEnding = false
  /// Who wait for its last connection to be gone.
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Nil if the library cannot make it. Only on the loop.
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
    hasTLS = tls != nil
    guard handle(at: 0, tls: tls) != nil else { return nil }
  }

  /// The library's virtual host in a context, which is made if there is none; nil if the library refuses. Handshakes are
  /// made with the first one's certificate, so the others need no files.
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

  private static func withFiles<Result>(
    _ tls: TLSFiles?, _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let tls else { return body(nil, nil) }
    return tls.certificatePath.withCString { certificate in
      tls.keyPath.withCString { key in body(certificate, key) }
    }
  }

  /// The vhost that a connection belongs to.
  static func of(_ wsi: OpaquePointer) -> VirtualHost? {
    guard let vhost = lws_get_vhost(wsi), let user = lws_get_vhost_user(vhost) else { return nil }
    return Unmanaged<VirtualHost>.fromOpaque(user).takeUnretainedValue()
  }

  /// The library has made `context` for a vhost; `wsi` is one it made up to say so.
  static func hasTLS(_ wsi: OpaquePointer, _ context: UnsafeMutableRawPointer?) {
    guard let context, let vhost = of(wsi), vhost.tls == nil else { return }
    vhost.tls = OpaquePointer(context)
  }

  /// Presents `certificate` from the next handshake on. False, and no change, if OpenSSL refuses it.
  func apply(_ certificate: TLSCertificate) -> Bool {
    guard let tls else { return false }
    return postern_certificate_apply(certificate.handle, tls) == 0
  }

  /// Gives the library a connection, to be a WebSocket from here on, with what has been read of it: `head` bytes of an
  /// upgrade request, and what came behind them. `endpoint` hears of the rest, from inside this call on, or of nothing
  /// where the library has no room.
  func adopt(_ descriptor: CInt, _ session: OpaquePointer?, _ bytes: [UInt8], head: Int, as endpoint: Endpoint) {
    guard let handle = handle(at: contexts.index(of: descriptor)) else {
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

  /// A connection of its is gone.
  func connectionEnded() {
    tally.connectionEnded()
    guard !waiters.isEmpty, isEmpty else { return }
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Whether the library has nothing of it any more.
  var hasEnded: Bool { handles.isEmpty }

  private var isEmpty: Bool { tally.count == 0 }

  /// Takes nobody any more, ends every connection without a word, and gives back what the library has of it when it has
  /// told of the last one's end. Only from a task on the loop.
  nonisolated(nonsending) func end() async {
    loop.events.preconditionOnLoop()
    guard !isEnding else { return await lastConnection() }
    isEnding = true
    for connection in loop.connections(of: self) { connection.end() }
    var sockets: [Endpoint] = []
    withUnsafeMutablePointer(to: &sockets) { sockets in
      for handle in handles {
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
    // Else the loop has ended meanwhile, which gives it back itself.
    guard loop.contexts != nil, !hasEnded else { return }
    loop.remove(self)
    for handle in handles { if let handle { postern_vhost_destroy(handle) } }
    handles = []
  }

  private nonisolated(nonsending) func lastConnection() async {
    if !isEmpty { await withCheckedContinuation { waiters.append($0) } }
  }

  /// Gives back the memory; only after the library's context is gone.
  func free() {
    for handle in handles { if let handle { postern_vhost_free(handle) } }
    handles = []
  }
}
