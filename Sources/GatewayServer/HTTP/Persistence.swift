internal import GatewayCore

/// The fate of a connection behind an answer, and how the answer says so (RFC 9112 section 9.3): after `connection:
/// close` no other request comes, for instance.
enum Persistence: Equatable {
  /// The answer is the last: `connection: close`.
  case closes
  /// As HTTP/1.1 has it unless somebody says otherwise.
  case keeps
  /// As HTTP/1.0 has it only if both say so: `connection: keep-alive`.
  case keepsBySaying

  /// What the client asks for.
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
