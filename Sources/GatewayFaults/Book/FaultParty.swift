package import GatewayCore
package import GatewayRuntime

/// The party behind a ``FaultySocket``: a gateway's connection, or one end of a proxied one. Only on its loop.
package protocol FaultParty: SocketHandler {
  var id: ConnectionID { get }

  /// The login; nil if there is none, or if it is unknown.
  var facts: Connection.Facts? { get }

  var dialectName: String { get }

  /// Returns the meaning of a message that arrives now.
  func meaning(of payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> JournalMessage

  /// Returns a message of the gateway in the wire's format; nil if it has none.
  func frame(of message: OutboundMessage) -> Frame?

  /// Returns an operator's message as the wire has it.
  func worded(_ frame: Frame) -> Frame

  /// Returns a message of the gateway with another life of the token; nil if it tells none, or this is no proxy.
  func frame(_ frame: Frame, telling life: Duration) -> Frame?

  /// An operator's event.
  func control(_ event: SessionEvent)

  /// Sends an operator's message to the peer, as if the party had sent it.
  func say(_ saying: Saying)
}

extension Connection: FaultParty {
  package nonisolated var dialectName: String { binding.dialect.name }

  package nonisolated func frame(of message: OutboundMessage) -> Frame? {
    let dialect = (dialect as? FaultyDialect)?.inner ?? dialect
    return dialect.encode(message, dialectContext)
  }

  package nonisolated func worded(_ frame: Frame) -> Frame { binding.dialect.worded(frame) }

  package nonisolated func frame(_ frame: Frame, telling life: Duration) -> Frame? { nil }

  package nonisolated func say(_ saying: Saying) {
    var done = SayingsDone()
    say(saying, counting: &done)
  }
}
