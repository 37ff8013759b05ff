/// An event of a stream that a page reads with `EventSource`, e.g. `data: hello` (HTML standard, section 9.2).
package struct ServerSentEvent: Hashable, Sendable {
  /// The position from which a reconnecting reader continues, in `Last-Event-ID`.
  package var id: String?
  /// The event's type; nil for `message`.
  package var event: String?
  package var data: String

  package init(id: String? = nil, event: String? = nil, data: String) {
    self.id = id
    self.event = event
    self.data = data
  }

  /// The event as sent. An id or a type that contains a line end or NUL cannot be encoded, and is omitted.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in [("id", id), ("event", event)] {
      guard let value, !value.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }) else { continue }
      bytes += "\(name): \(value)\n".utf8
    }
    var wasReturn = false
    bytes += Self.data
    for byte in data.utf8 {
      defer { wasReturn = byte == 0x0d }
      switch byte {
      case 0x0a where wasReturn: break
      case 0x0a, 0x0d:
        bytes.append(0x0a)
        bytes += Self.data
      default: bytes.append(byte)
      }
    }
    return bytes + [0x0a, 0x0a]
  }

  private static let data = Array("data: ".utf8)

  /// A comment, which readers ignore. It keeps proxies from closing a silent stream.
  package static let keepAlive = Array(":\n\n".utf8)

  /// The header fields of a stream.
  package static let fields = [HTTPField("content-type", "text/event-stream"), HTTPField("cache-control", "no-store")]
}
