import Foundation
import GatewayKit

// What `postern ctl` asks about sessions.

enum SessionsAction: ControlAction {
  static let name = "ctl sessions"
  static let summary = "a table of the sessions"
  static let example = "postern ctl sessions --user ann"
  static let ownFlags = [
    Flag("user", "ID", "this user's only"),
    Flag("limit", "N", "how many at most, 1 to 1000 (default 100)"),
    Flag("after", "ID", "those after this one, to get the next page"),
  ]

  static func request(_ arguments: Arguments, _ operand: String?) throws -> ControlRequest {
    var query: [URLQueryItem] = []
    if let user = arguments.string("user") { query.append(URLQueryItem(name: "user", value: user)) }
    if let limit = try arguments.int("limit", in: 1...1000) {
      query.append(URLQueryItem(name: "limit", value: String(limit)))
    }
    if let after = arguments.string("after") { query.append(URLQueryItem(name: "after", value: after)) }
    return ControlRequest("GET", "/sessions", query: query)
  }

  static func text(_ answer: ControlClient.Answer) -> String { ControlText.sessions(answer) }
}

enum SessionAction: ControlAction {
  static let name = "ctl session"
  static let summary = "one session, as JSON"
  static let operands = "ID"
  static let example = "postern ctl session conn_0_1"

  static func request(_ arguments: Arguments, _ operand: String?) -> ControlRequest {
    ControlRequest("GET", "/sessions/\(ControlCommand.escaped(operand ?? ""))")
  }
}
