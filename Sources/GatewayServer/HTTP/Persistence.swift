internal import GatewayCore

/// The fate of a connection after an answer, and the answer's field for it (RFC 9112 section 9.3).
enum Persistence: Equatable {
  /// The answer is the last: `connection: close`.
  case closes
  /// The connection stays open, as HTTP/1.1 does by default.
  case keeps
  /// The connection stays open because client and server both send `connection: keep-alive`, as HTTP/1.0 requires.
  case keepsBySaying

  /// Reads what the client asks for.
  init(of head: RequestHead) {
    let options = head.request.header("connection")
    if UpgradeCheck.names("close", in: options) {
      self = .closes
    } else if head.version == "HTTP/1.1" {
      self = .keeps
    } else {
      self = UpgradeCheck.names("keep-alive", in: options) ? .keepsBySaying : .closes
    }
  }

  /// The field of the answer; nil for none.
  var field: String? {
    switch self {
    case .closes: "connection: close\r\n"
    case .keeps: nil
    case .keepsBySaying: "connection: keep-alive\r\n"
    }
  }
}
