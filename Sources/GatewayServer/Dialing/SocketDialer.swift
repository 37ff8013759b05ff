package import GatewayCore
package import GatewayRuntime

/// The `Dialer` of a ``SocketLoop`` for WebSockets and HTTP requests.
///
/// `@unchecked Sendable`: used only on its loop.
package final class SocketDialer: Dialer, @unchecked Sendable {
  let loop: SocketLoop
  let addresses = AddressBook()
  private var contexts: [ContextKey: TLSClient.Context] = [:]
  /// The connections that wait for their next request.
  let kept = KeptConnections()
  /// The source of keys and masks. They guard caches against scripts of strangers in a browser (RFC 6455 section 10.3), which
  /// do not exist here, so the loop's own randomness suffices.
  private lazy var chance = SeededGenerator(seed: UInt64(loop.events.nextShare() * 0x1p53))

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
    guard !loop.isStopping else {
      return loop.events.execute { handler.socketRefused(.unreachable("the loop ended")) }
    }
    let key = Array(Base64.encode(newKey()).utf8)
    guard let request = upgrade.opening(for: target, key: key, subprotocols: subprotocols) else {
      return loop.events.execute { handler.socketRefused(.unreachable("the upgrade request is more than one line")) }
    }
    let opening = DialledSocket.Opening(
      request: request, accept: UpgradeAnswer.accept(for: key), subprotocols: subprotocols)
    DialledSocket(opening, to: target, by: self, handler: handler).start()
  }

  package func cancelDial(of handler: any SocketHandler) {
    loop.events.preconditionOnLoop()
    loop.connections.first { (socket: DialledSocket) in socket.phase == .opening && socket.handler === handler }?
      .abort()
  }

  private func newKey() -> [UInt8] {
    withUnsafeBytes(of: (chance.next(), chance.next())) { Array($0) }
  }

  /// Returns the mask of the next frame.
  func nextMask() -> UInt32 { UInt32(truncatingIfNeeded: chance.next() >> 32) }

  package nonisolated(nonsending) func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure> {
    loop.events.preconditionOnLoop()
    return await withCheckedContinuation { continuation in
      FetchConnection(request, from: target, by: self) { continuation.resume(returning: $0) }.start(timeout: timeout)
    }
  }

  /// Sends the request, and passes on the body of a 200 in pieces, as they arrive. Any other answer is returned whole. Only
  /// from a task on the loop.
  ///
  /// - Parameters:
  ///   - timeout: The time to the first byte of the answer's body, or its end.
  ///   - receive: Called on the loop with each piece, first when the head has arrived, with what there is of the body. Returns
  ///     how long the next piece may take; nil to end the connection.
  package nonisolated(nonsending) func stream(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration,
    receive: @escaping (_ piece: [UInt8]) -> Duration?
  ) async -> Result<HTTPResponse, DialFailure> {
    loop.events.preconditionOnLoop()
    return await withCheckedContinuation { continuation in
      FetchConnection(request, from: target, by: self, receiver: receive) { continuation.resume(returning: $0) }
        .start(timeout: timeout)
    }
  }

  package func prepare(_ target: DialTarget) {
    // A fault of the files is reported by the connection that needs them.
    if target.isTLS { _ = try? tlsContext(target) }
  }

  /// Returns the context of a target. It is made once for each kind of target, because reading the system's trust store takes
  /// milliseconds.
  func tlsContext(_ target: DialTarget) throws(ServerError) -> TLSClient.Context {
    let key = ContextKey(allowsUntrusted: target.allowsUntrustedCertificate, identity: target.identity)
    if let context = contexts[key] { return context }
    let context = try TLSClient.Context(allowsUntrusted: key.allowsUntrusted, identity: key.identity)
    contexts[key] = context
    return context
  }
}
