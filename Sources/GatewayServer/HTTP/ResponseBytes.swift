internal import GatewayCore

extension HTTPResponse {
  /// Returns the bytes of the response (RFC 9112).
  ///
  /// The answer to a HEAD has no body but still gives its length. For a streamed body it returns the head only.
  func serialized(withoutBody: Bool, _ persistence: Persistence, takesChunks: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256 + (withoutBody ? 0 : body.count))
    bytes += "HTTP/1.1 \(status) \(Self.reason(of: status))\r\n".utf8
    for field in headers where field.isSafe && !Self.ownFields.contains(field.name) {
      bytes += field.name.utf8
      bytes += ": ".utf8
      bytes += field.value.utf8
      bytes += "\r\n".utf8
    }
    if stream != nil {
      if mayHaveBody, let contentLength {
        bytes += "content-length: \(contentLength)\r\n".utf8
      } else if mayHaveBody && takesChunks {
        bytes += "transfer-encoding: chunked\r\n".utf8
      }
    } else if mayHaveBody {
      bytes += "content-length: \((withoutBody ? contentLength : nil) ?? body.count)\r\n".utf8
    }
    if let field = persistence.field { bytes += field.utf8 }
    bytes += "\r\n".utf8
    if mayHaveBody && !withoutBody && stream == nil { bytes += body }
    return bytes
  }

  var mayHaveBody: Bool { status >= 200 && status != 204 && status != 304 }

  /// The fields that only the server sets.
  private static let ownFields: Set<String> = ["content-length", "connection", "transfer-encoding"]

  private static func reason(of status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 508: "Loop Detected"
    default: "Status"
    }
  }
}
