package import GatewayCore

extension Dialect {
  /// Returns the meaning of `payload` on a logged-in connection.
  package func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) throws(GatewayError) -> InboundMessage? {
    try decode(payload, kind, .loggedIn)
  }

  /// Returns the message as a frame on a logged-in connection.
  package func encode(_ message: OutboundMessage) -> Frame? {
    encode(message, .loggedIn)
  }
}

extension DialectContext {
  /// A logged-in connection at a time that tests share.
  package static var loggedIn: DialectContext {
    DialectContext(
      connection: ConnectionID(loop: 3, serial: 9), isLoggedIn: true, now: WallTime(seconds: 1_800_000_000))
  }
}
