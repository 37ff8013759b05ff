internal import GatewayCore

/// What RFC 6455 section 4.2.1 asks of an upgrade request, which the library does not check.
enum UpgradeCheck {
  /// The refusal of a request that must not become a WebSocket; nil if it may.
  ///
  /// - Parameter version: that of the request line.
  static func refusal(of request: HTTPRequest, version: String?) -> HTTPResponse? {
    guard request.method == "GET" else {
      return refuse(405, "a WebSocket is opened with GET", [HTTPField("allow", "GET")])
    }
    guard version == "HTTP/1.1" else { return refuse(400, "a WebSocket is opened with HTTP/1.1") }
    guard request.header("host") != nil else { return refuse(400, "the Host field is missing") }
    guard tokens(request.header("connection")).contains("upgrade") else {
      return refuse(400, "Connection must name upgrade")
    }
    // The library reads at most this much of it.
    guard request.header("connection")!.utf8.count < 127 else { return refuse(400, "the Connection field is too long") }
    guard request.header("sec-websocket-version") == "13" else {
      return refuse(
        426, "Sec-WebSocket-Version must be 13",
        [HTTPField("sec-websocket-version", "13"), HTTPField("upgrade", "websocket")])
    }
    guard isKey(request.header("sec-websocket-key")) else {
      return refuse(400, "Sec-WebSocket-Key must be 16 bytes in base64")
    }
    // The library gives up on more, without an answer.
    guard (request.header("sec-websocket-extensions") ?? "").utf8.count < 255 else {
      return refuse(400, "the Sec-WebSocket-Extensions field is too long")
    }
    return protocolRefusal(of: request)
  }

  /// The first subprotocol offered; nil if none is.
  static func firstSubprotocol(of request: HTTPRequest) -> String? {
    request.header("sec-websocket-protocol").flatMap { $0.split(separator: ",").first }
      .map { String($0.drop(while: { $0 == " " })).split(separator: " ").first.map(String.init) ?? "" }
  }

  // The library reads at most 127 bytes of the list and 63 of a name.
  private static func protocolRefusal(of request: HTTPRequest) -> HTTPResponse? {
    guard let list = request.header("sec-websocket-protocol") else { return nil }
    guard list.utf8.count < 127, let first = firstSubprotocol(of: request), (1..<64).contains(first.utf8.count),
      first.utf8.allSatisfy(isNameByte)
    else {
      return refuse(
        400,
        "Sec-WebSocket-Protocol must be a list of names of letters, digits, '.', '-' and '_', "
          + "below 64 bytes a name and 127 bytes in all")
    }
    return nil
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func tokens(_ value: String?) -> [String] {
    (value ?? "").split(separator: ",").map { part in
      part.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ").lowercased()
    }
  }

  /// Whether it is the base64 of 16 bytes: 22 digits, the last with four zero bits, and two equal signs.
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
