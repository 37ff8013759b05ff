import GatewayServer

/// A client that sends and reads bytes, over TLS or plain.
protocol ByteClient {
  func send(_ text: String) throws
  /// Everything up to where that text ends.
  func read(through end: String) throws -> String
  /// Everything up to the end of the connection.
  func rest() throws -> String
  /// Says that nothing more comes from us; the other side stays.
  func endSending()
  /// Ends the connection with a reset.
  func reset()
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
}
