import GatewayServer

/// A client that sends and reads bytes, over TLS or plain.
protocol ByteClient {
  func send(_ text: String) throws
  func send(_ bytes: [UInt8]) throws
  /// Returns everything up to the end of that text.
  func read(through end: String) throws -> String
  /// Returns everything up to the end of the connection.
  func rest() throws -> String
  /// Ends our side of the connection; the other stays open.
  func endSending()
  /// Ends the connection with a reset.
  func reset()
  /// Whether the other side has sent a reset, as far as was read.
  var wasReset: Bool { get }
  /// Returns whether nothing, not even the end, arrives within that many milliseconds.
  func isSilent(for milliseconds: CInt) -> Bool
}

extension RawClient: ByteClient {
  func read(through end: String) throws -> String {
    var bytes: [UInt8] = []
    let end = Array(end.utf8)
    while bytes.suffix(end.count) != end[...] { bytes += try read(1) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func rest() throws -> String { String(decoding: try readToEnd(), as: UTF8.self) }
}

extension SecureClient: ByteClient {
  func rest() throws -> String { String(decoding: readToEnd(), as: UTF8.self) }
}

extension TestServer {
  /// Returns a client of it, over TLS if there is a certificate.
  func client() throws -> any ByteClient {
    listener.settings.tls == nil ? try RawClient(port: port) : try SecureClient(port: port)
  }

  /// Returns a client with an open WebSocket.
  func open() throws -> any ByteClient {
    let client = try client()
    try client.send(RawClient.upgrade())
    guard try client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 101") else {
      throw RawClient.Failure(description: "no 101")
    }
    return client
  }
}
