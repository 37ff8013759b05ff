internal import GatewayCore
package import GatewayRuntime

/// The tunnels that the clients of a listener may open, and the authority that signs the certificates shown in them.
package struct TunnelSettings: Sendable {
  let gate: any TunnelGate
  let authority: TLSAuthority

  package init(_ gate: any TunnelGate, _ authority: TLSAuthority) {
    self.gate = gate
    self.authority = authority
  }
}

extension ServerConnection {
  /// The first byte of a TLS handshake.
  private static let handshakeByte: UInt8 = 0x16

  /// Finds out whether the client begins with TLS.
  func greet() {
    switch stream.firstByte {
    case .none: rewatch()
    case .ended: end()
    case .byte(Self.handshakeByte):
      guard let tunnels = service.tunnels, let context = tunnels.authority.context(for: tunnels.gate.directHost) else {
        return end()
      }
      beginTLS(context)
      if case .securing = phase { secure() }
    case .byte:
      phase = .head
      readSome()
    }
  }

  private func beginTLS(_ context: OpaquePointer) {
    stream.tls = TLSServer(context, descriptor: stream.descriptor)
    guard stream.tls != nil else { return end() }
    phase = .securing
  }

  func asksForTunnel(_ request: HTTPRequest) -> Bool {
    service.tunnels != nil && request.method.utf8.elementsEqual("CONNECT".utf8)
  }

  /// Returns the refusal of a request that is not for the host of its tunnel; nil if it is, and outside of tunnels.
  func tunnelRefusal(of request: HTTPRequest) -> HTTPResponse? {
    guard let tunnel, let gate = service.tunnels?.gate else { return nil }
    return gate.refusal(of: request, in: tunnel, serverName: stream.tls?.serverName)
  }

  /// Answers CONNECT. After the 200 the client's next bytes begin TLS, or a request if the target speaks plain text.
  func openTunnel(_ connect: HTTPRequest) {
    guard let tunnels = service.tunnels else { return end() }
    var connect = connect
    connect.peer = clientAddress(of: connect)
    guard stream.tls == nil else {
      return refuse(.plain(400, "CONNECT is for plain text: write http:// before the proxy's address"), nil)
    }
    let tunnel: Tunnel
    switch tunnels.gate.answer(connect) {
    case .refuse(let response): return refuse(response, nil)
    case .open(let opened): tunnel = opened
    }
    // They could be a request that another reader takes for a part of the tunnel.
    guard pendingStart >= pending.count, !stream.hasUnread else {
      return refuse(.plain(400, "bytes before the answer to CONNECT: wait for the 200"), .malformedRequest)
    }
    var context: OpaquePointer?
    if tunnel.isTLS {
      context = tunnels.authority.context(for: tunnel.host)
      guard context != nil else {
        let advice = "make one with postern proxy ca --name \(tunnel.host)"
        return refuse(.plain(502, "the authority of --ca does not allow \(tunnel.host); \(advice)"), nil)
      }
    }
    self.tunnel = tunnel
    write(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
    if case .gone = phase { return }
    // The client has not read the answers to earlier requests.
    guard !stream.hasOutput else { return end() }
    endRequest()
    wait(host.limits.handshakeTimeout)
    if let context { beginTLS(context) } else { phase = .head }
    rewatch()
  }
}
