internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// One libwebsockets virtual host on one loop: what a listener serves there, or what the loop dials from.
final class VirtualHost {
  unowned let loop: SocketLoop
  /// What is served; nil for the vhost that dials.
  let service: Service?
  let limits: ServerLimits
  private(set) var handle: OpaquePointer!
  /// The library's TLS context of the vhost, for a change of certificate.
  private(set) var tls: OpaquePointer?
  let arrivals = ProxiedArrivals()
  /// The WebSocket that the library is being given.
  private(set) var arriving: WebSocketHandle?

  /// What connections of a serving vhost are served with.
  struct Service: Sendable {
    let site: any Site
    let limits: ServerLimits
    let tally: LoopTally
    let refusals: TransportRefusals
    let requests = RequestsUnderWay()
    let proxies: TrustedProxies
  }

  /// Nil if the library cannot make it. Only on the loop.
  init?(
    named name: String, on loop: SocketLoop, context: OpaquePointer, service: Service?, tls: TLSFiles?,
    isIPv4Only: Bool = false
  ) {
    self.loop = loop
    self.service = service
    limits = service?.limits ?? loop.limits
    let user = Unmanaged.passUnretained(self).toOpaque()
    let limits = self.limits
    let made = name.withCString { name in
      Self.withFiles(tls) { certificate, key in
        var settings = postern_vhost_settings(
          name: name, certificate_path: certificate, key_path: key, is_client: service == nil ? 1 : 0,
          is_ipv4_only: isIPv4Only ? 1 : 0,
          rx_buffer_bytes: SocketLoop.receiveBufferBytes,
          handshake_seconds: limits.handshakeSeconds, user: user)
        return postern_vhost_create(context, &settings)
      }
    }
    guard let made else { return nil }
    handle = made
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
    guard let context, let vhost = of(wsi) else { return }
    vhost.tls = OpaquePointer(context)
  }

  /// Whether it serves TLS.
  var isSecure: Bool { tls != nil }

  /// Presents `certificate` from the next handshake on. False, and no change, if OpenSSL refuses it.
  func apply(_ certificate: TLSCertificate) -> Bool {
    guard let tls else { return false }
    return postern_certificate_apply(certificate.handle, tls) == 0
  }

  /// Gives the library a connection, to be the WebSocket from here on, with what has been read of it: `head` bytes of an
  /// upgrade request, and what came behind them. The handle hears of the rest, from inside this call on.
  func adopt(
    _ descriptor: CInt, _ session: OpaquePointer?, _ bytes: [UInt8], head: Int, as handle: WebSocketHandle
  ) {
    arriving = handle
    _ = bytes.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        postern_adopt(self.handle, descriptor, session, $0.baseAddress, $0.count, head)
      }
    }
    arriving = nil
    // It had no room for it, and so will not tell of its end either.
    if handle.wsi == nil && !handle.isDestroyed { handle.connectionDestroyed() }
  }

  /// Gives back the memory; only after the library's context is gone.
  func free() {
    postern_vhost_free(handle)
    handle = nil
  }
}
