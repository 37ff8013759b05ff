internal import GatewayCore
package import GatewayKit
internal import GatewayRuntime
package import GatewayWires

/// The source of the messages' meaning for a proxy: a described wire, or the dialects of a vendor.
package struct ProxyWire: Sendable {
  /// The name that the journal and orders have.
  package let name: String
  /// Whether a gateway asks its clients for tokens, or ends their connections for want of one.
  let asksForTokens: Bool
  /// Whether a reply of the gateway tells the life of a token.
  let tellsLives: Bool
  /// The path of its sockets; nil for any.
  let socketPath: String?
  /// The wire as the journal knows it.
  let journal: JournalWire
  /// Returns a client's request over HTTP that renews an open connection; nil for any other request.
  let renewal: @Sendable (HTTPRequest) -> RenewalSight?
  /// Returns the body of an answer to such a request that tells another life of the token; nil if it tells none.
  let telling: @Sendable (Duration, HTTPResponse, WallTime) -> [UInt8]?
  /// Returns the reader of a connection whose client has sent this upgrade; nil for a path of another wire.
  let eyes: @Sendable (HTTPRequest, ConnectionID) -> (any ConnectionEyes)?

  /// Creates the wire of a description.
  package init(_ dialect: ServedDialect) {
    name = dialect.name
    asksForTokens = dialect.asksForTokens
    tellsLives = dialect.tellsLives
    socketPath = dialect.socketPath
    journal = BlindWire.journal(of: dialect)
    renewal = dialect.renewal
    telling = dialect.telling
    eyes = { upgrade, connection in dialect.accepts(upgrade) ? dialect.eyes(for: upgrade, connection) : nil }
  }

  /// Creates the wire of a vendor's dialects, of which there must be one.
  package init(_ name: String, _ readers: [WireReader]) {
    self.name = name
    let known = readers.map { ($0, $0.renewal) }
    asksForTokens = known.contains { $0.1 != .timer && $0.1 != .none }
    tellsLives = false
    renewal = { _ in nil }
    telling = { _, _, _ in nil }
    socketPath = readers.lazy.compactMap { $0.dialect.socketPath }.first
    // The gateway is not ours: members of messages that the dialect knows may hold anything, too.
    journal = JournalWire(name, renewal: known.first?.1) { frame, _ in
      frame.payload.withUnsafeBytes { bytes in
        readers.lazy.compactMap { $0.dialect.redacted(bytes, frame.kind, isUnderstood: false) }.first
      }
    }
    eyes = { upgrade, connection in
      known.first { $0.0.dialect.accepts(upgrade) }.map { DialectEyes($0.0, $0.1, upgrade: upgrade, connection) }
    }
  }
}
