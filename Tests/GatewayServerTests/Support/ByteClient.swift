import GatewayServer

/// A client that sends and reads bytes, over TLS or plain.
protocol ByteClient {
  func send(_ text: String) throws
  func send(_ bytes: [UInt8]) throws
  /// Everything up to where that text ends.
  func read(through end: String) throws -> String
  /// Everything up to the end of the connection.
  func rest() throws -> String
  /// Says that nothing more comes from us; the other side stays.
  func endSending()
  /// Ends the connection with a reset.
  func reset()
  /// Whether the other side has ended it so, as far as has been read.
  var wasReset: Bool { get }
  /// Whether nothing comes for so many milliseconds, not the end either.
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
  /// A client of it, by TLS where there is a certificate.
  func client() throws -> any ByteClient {
    listener.settings.tls == nil ? try RawClient(port: port) : try SecureClient(port: port)
  }

  /// The same with an open WebSocket.
  func open() throws -> any ByteClient {
    let client = try client()
    try client.send(RawClient.upgrade())
    guard try client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 101") else {
      throw RawClient.Failure(description: "no 101")
    }
    return client
  }
}
