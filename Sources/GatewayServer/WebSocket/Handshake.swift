internal import CLibWebSockets
internal import GatewayCore

/// The state that a WebSocket needs until it is open.
final class Handshake {
  /// The additional fields of the 101.
  private let fields: [HTTPField]

  /// The maximum number of bytes of these fields; the library's buffer for the 101 has 4 KiB.
  static let fieldBytesMax = 3072

  /// Creates the state. The 101 names `subprotocol`, and has those `fields` that it would not have twice.
  init(answering subprotocol: String?, fields: [HTTPField] = []) {
    let named = subprotocol.map { [HTTPField("Sec-WebSocket-Protocol", $0)] } ?? []
    self.fields = (named + fields.filter { !Self.ownFields.contains($0.name) }).filter(\.isSafe)
  }

  /// Returns whether the fields fit into a 101.
  static func hasRoom(for fields: [HTTPField]) -> Bool {
    fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } <= fieldBytesMax
  }

  /// The fields that the library or the subprotocol sets.
  private static let ownFields: Set<String> = [
    "upgrade", "connection", "sec-websocket-accept", "sec-websocket-protocol", "sec-websocket-extensions",
    "content-length", "transfer-encoding",
  ]

  /// Writes the fields into the 101, through the library's arguments. Returns -1 if there is no room.
  func appendFields(_ arguments: UnsafeMutableRawPointer?) -> Int32 {
    guard !fields.isEmpty, let arguments = arguments?.assumingMemoryBound(to: lws_process_html_args.self) else {
      return 0
    }
    let lines = fields.reduce(into: "") { $0 += "\($1.name): \($1.value)\r\n" }
    // The empty line follows them.
    guard lines.utf8.count + 3 < Int(arguments.pointee.max_len) else { return -1 }
    for byte in lines.utf8 {
      arguments.pointee.p.pointee = CChar(bitPattern: byte)
      arguments.pointee.p += 1
    }
    return 0
  }
}
