package import GatewayCore

extension Dialect {
  /// What `payload` says, on a connection that is logged in.
  package func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) throws(GatewayError) -> InboundMessage? {
    try decode(payload, kind, .loggedIn)
  }

  /// The message, on a connection that is logged in.
  package func encode(_ message: OutboundMessage) -> Frame? {
    encode(message, .loggedIn)
  }
}

extension DialectContext {
  /// A connection that is logged in, at a time that tests agree on.
  package static var loggedIn: DialectContext {
    DialectContext(
      connection: ConnectionID(loop: 3, serial: 9), isLoggedIn: true, now: WallTime(seconds: 1_800_000_000))
  }
}
