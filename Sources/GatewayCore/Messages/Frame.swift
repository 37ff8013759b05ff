/// One WebSocket message, its kind and its bytes: the text `{"type":"ping"}`, for instance.
package struct Frame: Hashable, Sendable {
  /// The kind of message, which the opcode of the first frame says (RFC 6455 section 5.2): text, for instance, which
  /// must be UTF-8.
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

  /// The payload as text, with replacement characters where it is none.
  package var text: String { String(decoding: payload, as: UTF8.self) }
}
