/// A WebSocket message: its kind and its bytes.
package struct Frame: Hashable, Sendable {
  /// The kind of a message, which the opcode of its first frame gives (RFC 6455 section 5.2).
  package enum Kind: Hashable, Sendable {
    case text
    case binary
  }

  package var kind: Kind
  package var payload: [UInt8]

  package init(_ kind: Kind, _ payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }

  package init(text: String) {
    self.init(.text, Array(text.utf8))
  }

  /// The payload as text, with replacement characters for bytes that are not UTF-8.
  package var text: String { String(decoding: payload, as: UTF8.self) }
}
