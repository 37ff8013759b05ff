/// One vendor's wire format, the server's side: bytes to meaning and back, and nothing else. Stateless.
package protocol Dialect: Sendable {
  /// The stable name: label of metrics, value of flags.
  var name: String { get }

  /// Whether the dialect speaks on sockets opened at this request.
  func accepts(_ upgrade: HTTPRequest) -> Bool

  /// The credentials that came with the upgrade, nil if there are none.
  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials?

  /// What `payload` says. Throws what to answer if it says nothing the dialect knows;
  /// ``GatewayError/unsupportedData`` for a kind of frame it does not speak, which ends the connection.
  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) throws(GatewayError) -> InboundMessage

  /// The message on the wire; nil if the dialect has no words for it.
  func encode(_ message: OutboundMessage) -> Frame?

  /// The error over HTTP, with the fields that belong to its status.
  func response(for error: GatewayError) -> HTTPResponse
}
