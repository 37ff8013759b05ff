internal import CLibWebSockets
package import GatewayCore
package import GatewayRuntime

/// Dials from a ``SocketLoop``: WebSockets of libwebsockets, a storm's clients for instance, and HTTP requests.
///
/// `@unchecked Sendable`: used only on its loop.
package final class SocketDialer: Dialer, @unchecked Sendable {
  let loop: SocketLoop
  let addresses = AddressBook()
  /// The vhosts to dial from, made when first needed.
  private var hosts: [VirtualHost?] = [nil, nil]
  private var contexts: [ContextKey: TLSClient.Context] = [:]
  /// Connections that wait for their next request.
  let kept = KeptConnections()

  private struct ContextKey: Hashable {
    let allowsUntrusted: Bool
    let identity: TLSIdentity?
  }

  package init(on loop: SocketLoop) {
    self.loop = loop
  }

  package func dial(
    _ target: DialTarget, upgrade: HTTPRequest, subprotocols: [String], handler: any SocketHandler
  ) {
    loop.events.preconditionOnLoop()
    let isIPv4Only = (target.source ?? target.host).utf8.allSatisfy {
      $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0)
    }
    guard let context = loop.context, let host = host(isIPv4Only: isIPv4Only) else {
      return loop.events.execute { handler.socketRefused(.unreachable("the loop ended")) }
    }
    // The name service is asked here rather than by the library, which would ask it for every connection.
    guard case .success(let found) = addresses.addresses(of: target, at: loop.now),
      let address = found.first(where: { !isIPv4Only || $0.isIPv4 })
    else {
      return loop.events.execute { handler.socketRefused(.unreachable("\(target.host) has no address")) }
    }
    let added = upgrade.headers.filter { $0.isSafe && !Handshake.ownFields.contains($0.name) }
    let handshake = Handshake(
      asking: added, !target.isTLS ? .none : target.allowsUntrustedCertificate ? .unverified : .verified)
    let text = address.text
    let handle = WebSocketHandle(
      host: host, handler: handler, peer: text, acceptedAt: loop.now, handshake: handshake)
    handshake.limit(handle, until: loop.now + loop.limits.handshakeTimeout)
    handshake.whenUnreachable = { [addresses] in addresses.demote(target) }
    let user = Unmanaged.passRetained(handle as Endpoint)
    let wsi = Self.dial(
      target, address: text, path: upgrade.requestTarget, hostField: upgrade.header("host") ?? target.hostField,
      subprotocols: subprotocols, host: host, context: context, user: user.toOpaque())
    if let wsi, !handle.isDestroyed {
      handle.wsi = wsi
    } else if !handle.isDestroyed {
      user.release()
      loop.events.execute { handle.finish() }
    }
  }

  private func host(isIPv4Only: Bool) -> VirtualHost? {
    let index = isIPv4Only ? 1 : 0
    if hosts[index] == nil {
      hosts[index] = loop.addHost(limits: loop.limits, tally: nil, tls: nil, isIPv4Only: isIPv4Only)
    }
    return hosts[index]
  }

  private static func dial(
    _ target: DialTarget, address: String, path: String, hostField: String, subprotocols: [String], host: VirtualHost,
    context: OpaquePointer, user: UnsafeMutableRawPointer
  ) -> OpaquePointer? {
    // The settings point into texts that live until the call is over.
    func with(_ text: String?, _ body: (UnsafePointer<CChar>?) -> OpaquePointer?) -> OpaquePointer? {
      guard let text else { return body(nil) }
      return text.withCString(body)
    }
    let list = subprotocols.isEmpty ? nil : subprotocols.joined(separator: ", ")
    return with(address) { address in
      with(path) { path in
        with(hostField) { hostField in
          with(list) { list in
            with(target.source) { source in
              var settings = postern_dial_settings(
                context: context, vhost: host.handle, host: address, port: CInt(target.port), path: path,
                host_header: hostField, subprotocols: list, source: source, is_tls: target.isTLS ? 1 : 0,
                allows_untrusted: target.allowsUntrustedCertificate ? 1 : 0, user: user)
              return postern_dial(&settings)
            }
          }
        }
      }
    }
  }

  package nonisolated(nonsending) func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure> {
    loop.events.preconditionOnLoop()
    return await withCheckedContinuation { continuation in
      FetchConnection(request, from: target, by: self) { continuation.resume(returning: $0) }.start(timeout: timeout)
    }
  }

  /// Reading what the system trusts takes milliseconds, so it is done once for each kind of target.
  func tlsContext(_ target: DialTarget) throws(ServerError) -> TLSClient.Context {
    let key = ContextKey(allowsUntrusted: target.allowsUntrustedCertificate, identity: target.identity)
    if let context = contexts[key] { return context }
    let context = try TLSClient.Context(allowsUntrusted: key.allowsUntrusted, identity: key.identity)
    contexts[key] = context
    return context
  }
}
