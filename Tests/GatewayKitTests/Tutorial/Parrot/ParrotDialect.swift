import GatewayCore
import GatewayJSON
import GatewayKit

/// The parrot's wire, the server's side: text frames with one JSON object each, whose member `type` names the message.
struct ParrotDialect: Dialect {
  static let path = "/parrot/perch"
  static let name = "parrot"

  var name: String { Self.name }
  /// The path to which its clients connect.
  var socketPath: String? { Self.path }

  func accepts(_ upgrade: HTTPRequest) -> Bool { upgrade.path == Self.path }

  func owns(path: String) -> Bool { path.hasPrefix("/parrot/") }

  /// Returns nil: the first message contains the token.
  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? { nil }

  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let message = try TypedMessage(payload, kind)
    switch message.type {
    case "hello", "fresh_token":
      guard let token = try message.object.string("token", bytes: 1...Int.max) else {
        throw .invalidParameter.detailed("token is missing; it must be a string")
      }
      return .credentials(Credentials(token: token), request: nil)
    case "teach":
      return .command(Command("teach", ParrotCommand.teach(word: try message.object.word())), request: nil)
    default:
      throw .unknownType.detailed("type must be hello, fresh_token or teach")
    }
  }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    switch message {
    case .connected(_, let user, kind: _, expiresIn: _, request: _, welcome: _):
      Self.frame("welcome") { $0.member("user", user.rawValue) }
    case .refreshRequired(_, let timeout): Self.frame("token_please") { $0.member("within_ms", milliseconds: timeout) }
    case .refreshed: Self.frame("thanks")
    case .error(let error, _), .loginRefused(let error, _): Self.frame(error)
    case .closing(let reason, _): Self.frame("bye") { $0.member("because", reason.name) }
    case .loggedOut, .pong: nil
    }
  }

  /// Returns the message without its token, for logs and the journal.
  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    JSONRedaction().text(payload, isUnderstood: isUnderstood)
  }

  func response(for error: GatewayError) -> HTTPResponse {
    HTTPResponse(status: error.httpStatus, json: JSONWriter.object { $0.member("error", error) })
  }

  static func frame(_ error: GatewayError) -> Frame {
    frame("no") { json in
      json.member("number", Int64(error.number))
      json.member("because", error.name)
    }
  }

  static func squawk(_ word: String, isNew: Bool) -> Frame {
    frame("squawk") { json in
      json.member("word", word)
      json.member("is_new", isNew)
    }
  }

  static func frame(_ type: String, _ members: (inout JSONWriter) -> Void = { _ in }) -> Frame {
    let json = JSONWriter.object { json in
      json.member("type", type)
      members(&json)
    }
    return Frame(.text, json)
  }
}

/// A command of the parrot's clients.
enum ParrotCommand: Hashable {
  case teach(word: String)
}
