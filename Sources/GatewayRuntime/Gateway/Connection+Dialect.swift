package import GatewayCore

// How the connection speaks.

extension Connection {
  /// How it speaks: by the binding's dialect, or by the one for peers that speak JSON. Only on the loop.
  package nonisolated var dialect: any Dialect {
    guard binding.hasJSONDialect else { return binding.dialect }
    return binding.dialect(forJSON: onLoop { $0.speaksJSON ?? false })
  }

  static func isJSON(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> Bool {
    kind == .text && payload.first == UInt8(ascii: "{")
  }

  /// Returns the dialect that the connection will have after `payload`.
  func dialect(for payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> any Dialect {
    guard speaksJSON == nil else { return dialect }
    return binding.dialect(forJSON: Self.isJSON(payload, kind))
  }

  /// How long a client has for its answer to a refresh request.
  var refreshTimeout: Duration { (binding.sharedPolicy ?? table.sessionPolicy).policy.refreshTimeout }

  var context: DialectContext {
    // Without a closure: each would have the runtime ask for the executor.
    var expiresIn: Duration?
    if let expiresAt = standing.grant?.expiresAt, expiresAt != .distantFuture { expiresIn = expiresAt - table.loop.now }
    return DialectContext(
      connection: id, isLoggedIn: standing.grant != nil, isAuthenticating: standing.phase == .authenticating,
      expiresIn: expiresIn, isRevoked: standing.askedFor == .revocation, now: table.loop.wallTime)
  }
}
