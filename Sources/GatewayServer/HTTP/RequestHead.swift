internal import CLibWebSockets
internal import GatewayCore

/// Reads the head of a request out of the library's header table, while it has one.
struct RequestHead {
  let wsi: OpaquePointer

  private static let methods: [(token: lws_token_indexes, name: String)] = [
    (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_POST_URI, "POST"), (WSI_TOKEN_HEAD_URI, "HEAD"),
    (WSI_TOKEN_OPTIONS_URI, "OPTIONS"), (WSI_TOKEN_PUT_URI, "PUT"), (WSI_TOKEN_PATCH_URI, "PATCH"),
    (WSI_TOKEN_DELETE_URI, "DELETE"),
  ]

  /// The header fields that the library knows, by their names in lower case. What else it stores under a token is no
  /// header: methods, the version, the query, pseudo-headers of HTTP/2.
  private static let fields: [(token: lws_token_indexes, name: String)] = (0..<WSI_TOKEN_COUNT.rawValue).compactMap {
    let token = lws_token_indexes(rawValue: $0)
    guard let text = lws_token_to_string(token) else { return nil }
    let name = String(cString: UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))
    guard name.last == ":", name.first != ":", name.count > 1 else { return nil }
    return (token, String(name.dropLast()))
  }

  private static let knownNames = Set(fields.map(\.name))

  /// The request, without its body. Nil if the method is unknown or the text is no UTF-8.
  ///
  /// - Parameter extraHeaders: names, in lower case, to look for beyond those the library knows: it cannot list them.
  func request(extraHeaders: [String]) -> HTTPRequest? {
    guard let (uri, method) = Self.methods.first(where: { length($0.token) > 0 }), let path = text(uri) else {
      return nil
    }
    var request = HTTPRequest(method: method, path: Self.encode(path: path))
    for (token, name) in Self.fields where length(token) > 0 {
      guard let value = text(token) else { return nil }
      request.headers.append(HTTPField(name, Self.trimmed(value)))
    }
    for name in extraHeaders where !Self.knownNames.contains(name) {
      guard let value = customHeader(name) else { continue }
      request.headers.append(HTTPField(name, Self.trimmed(value)))
    }
    guard let query = query() else { return nil }
    request.query = query
    return request
  }

  /// How many bytes the request's fields take.
  func size(of request: HTTPRequest) -> Int {
    let query = request.query.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 }
    return request.headers.reduce(request.path.utf8.count + query) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
  }

  /// The version on the request line, e.g. `HTTP/1.1`.
  var version: String? { text(WSI_TOKEN_HTTP) }

  /// The value of `Upgrade`; nil if there is none or the library has let go of the head.
  var upgrade: String? {
    length(WSI_TOKEN_UPGRADE) > 0 ? text(WSI_TOKEN_UPGRADE) : nil
  }

  private func length(_ token: lws_token_indexes) -> Int {
    Int(lws_hdr_total_length(wsi, token))
  }

  /// All fragments of a token, joined by commas.
  private func text(_ token: lws_token_indexes) -> String? {
    // Joining adds a byte for each fragment.
    let capacity = 2 * length(token) + 2
    return Self.read(capacity) { lws_hdr_copy(wsi, $0, Int32(capacity), token) }
  }

  private func customHeader(_ name: String) -> String? {
    let key = name + ":"
    let length = lws_hdr_custom_length(wsi, key, Int32(key.utf8.count))
    guard length >= 0 else { return nil }
    let capacity = Int(length) + 1
    return Self.read(capacity) { lws_hdr_custom_copy(wsi, $0, Int32(capacity), key, Int32(key.utf8.count)) }
  }

  /// The parameters; the library has split and decoded them.
  private func query() -> [HTTPField]? {
    var query: [HTTPField] = []
    var index: Int32 = 0
    while true {
      let length = Int(lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, index))
      guard length > 0 else { return query }
      guard
        let text = Self.read(
          length + 1, { lws_hdr_copy_fragment(wsi, $0, Int32(length + 1), WSI_TOKEN_HTTP_URI_ARGS, index) })
      else { return nil }
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query.append(HTTPField(String(parts[0]), parts.count == 2 ? String(parts[1]) : ""))
      index += 1
    }
  }

  private static func read(_ capacity: Int, _ copy: (UnsafeMutablePointer<CChar>) -> Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      let count = Int(copy(buffer.baseAddress!))
      guard count >= 0 else { return nil }
      return String(validating: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
    }
  }

  /// The library hands out paths decoded; `HTTPRequest.path` is encoded. (An escaped slash has become a real one.)
  private static func encode(path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        true
      default: false
      }
    }
    guard !isPlain else { return path }
    return path.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.encode(String($0)) }
      .joined(separator: "/")
  }

  private static func trimmed(_ value: String) -> String {
    var text = value[...]
    while let last = text.unicodeScalars.last, last == " " || last == "\t" { text.unicodeScalars.removeLast() }
    return String(text)
  }
}
