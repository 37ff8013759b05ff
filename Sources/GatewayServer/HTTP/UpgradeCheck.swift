internal import GatewayCore

/// The checks of RFC 6455 section 4.2.1 on an upgrade request that the library does not make, e.g. that a 16-byte
/// `Sec-WebSocket-Key` is present.
enum UpgradeCheck {
  /// The maximum number of bytes in the names of all subprotocols that a client offers.
  private static let subprotocolBytesMax = 2048

  /// Returns whether the request asks for a WebSocket. Any other upgrade is ignored, as in RFC 9110 section 7.8: Java's client
  /// asks for HTTP/2 with every first request.
  static func isUpgrade(_ request: HTTPRequest) -> Bool {
    names("websocket", in: request.header("upgrade"))
  }

  /// Returns the refusal of a request that must not become a WebSocket; nil if it may.
  static func refusal(of head: RequestHead) -> HTTPResponse? {
    let request = head.request
    guard request.method == "GET" else {
      return refuse(405, "a WebSocket is opened with GET", [HTTPField("allow", "GET")])
    }
    // Bytes after the head would be read as frames.
    guard request.header("transfer-encoding") == nil,
      (request.header("content-length") ?? "0").utf8.elementsEqual("0".utf8)
    else { return refuse(400, "a request for a WebSocket has no body: leave Content-Length out") }
    guard head.version == "HTTP/1.1" else { return refuse(400, "a WebSocket is opened with HTTP/1.1") }
    guard names("upgrade", in: request.header("connection")) else {
      return refuse(400, "Connection must name upgrade")
    }
    guard request.header("sec-websocket-version") == "13" else {
      return refuse(
        426, "Sec-WebSocket-Version must be 13",
        [HTTPField("sec-websocket-version", "13"), HTTPField("upgrade", "websocket")])
    }
    guard isKey(request.header("sec-websocket-key")) else {
      return refuse(400, "Sec-WebSocket-Key must be 16 bytes in base64")
    }
    return protocolRefusal(of: request)
  }

  private static func protocolRefusal(of request: HTTPRequest) -> HTTPResponse? {
    guard let list = request.header("sec-websocket-protocol") else { return nil }
    guard list.utf8.count <= subprotocolBytesMax else {
      return refuse(400, "Sec-WebSocket-Protocol is above \(subprotocolBytesMax) bytes")
    }
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map { name in
      name.utf8.drop { isBlank($0) }.split(whereSeparator: isBlank)
    }
    guard names.allSatisfy({ $0.count == 1 && RequestHead.isToken($0[0]) }) else {
      return refuse(400, "Sec-WebSocket-Protocol must be a list of tokens")
    }
    return nil
  }

  /// Returns whether a list such as that of Connection has a member; its name is given in lower case.
  static func names(_ member: StaticString, in list: String?) -> Bool {
    guard var list else { return false }
    return list.withUTF8 { bytes in
      bytes.split(separator: UInt8(ascii: ",")).contains { part in
        let start = part.firstIndex { !isBlank($0) } ?? part.endIndex
        let end = part.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? part.endIndex
        return member.withUTF8Buffer { $0.elementsEqual(part[start..<end].lazy.map(RequestHead.lower)) }
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Returns whether it is the base64 of 16 bytes: 22 digits, the last with four zero bits, and two equal signs.
  private static func isKey(_ value: String?) -> Bool {
    guard let bytes = value.map({ Array($0.utf8) }), bytes.count == 24, bytes[22] == UInt8(ascii: "="),
      bytes[23] == UInt8(ascii: "=")
    else { return false }
    return bytes[..<22].allSatisfy(isDigit) && "AQgw".utf8.contains(bytes[21])
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  private static func refuse(_ status: Int, _ text: String, _ headers: [HTTPField] = []) -> HTTPResponse {
    var response = HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", text: text + "\n")
    response.headers += headers
    return response
  }
}
