internal import GatewayCore
internal import GatewayRuntime

extension HTTPRequest {
  /// Returns the bytes of the request for a WebSocket (RFC 6455 section 4.1): its own fields and the usual upgrade fields.
  /// Returns nil if its target, or a subprotocol, contains a character that would end its line.
  ///
  /// - Parameters:
  ///   - target: The server that it goes to.
  ///   - key: The text of `Sec-WebSocket-Key`.
  ///   - subprotocols: The offered subprotocols; empty for no such field.
  func opening(for target: DialTarget, key: [UInt8], subprotocols: [String]) -> [UInt8]? {
    let asked = requestTarget
    let offered = subprotocols.joined(separator: ", ")
    guard asked.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), HTTPField("sec-websocket-protocol", offered).isSafe else {
      return nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512 + asked.utf8.count)
    func append(_ line: String) { bytes += line.utf8 }
    append("GET ")
    append(asked)
    append(" HTTP/1.1\r\nhost: ")
    let host = header("host").flatMap { HTTPField("host", $0).isSafe ? $0 : nil }
    append(host ?? target.hostField)
    append("\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ")
    bytes += key
    if !offered.isEmpty {
      append("\r\nsec-websocket-protocol: ")
      append(offered)
    }
    for field in headers where field.isSafe && !Self.fieldsOfUpgrades.contains(field.name) {
      append("\r\n")
      append(field.name)
      append(": ")
      append(field.value)
    }
    append("\r\n\r\n")
    return bytes
  }

  private static let fieldsOfUpgrades: Set<String> = [
    "host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol",
    "sec-websocket-extensions",
  ]
}
