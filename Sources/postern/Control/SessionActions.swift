import GatewayCore
import GatewayKit

// What `postern ctl` asks about sessions.

extension ControlAction {
  static let sessions = ControlAction(
    "sessions", "a table of the sessions", example: "sessions --user ann",
    flags: [
      Flag("user", "ID", "this user's only"),
      Flag("limit", "N", "how many at most, 1 to 1000 (default 100)"),
      Flag("after", "ID", "those after this one, to get the next page"),
    ], telling: .sessions
  ) { arguments, _ in
    var query: [HTTPField] = []
    if let user = arguments.string("user") { query.append(HTTPField("user", user)) }
    if let limit = try arguments.int("limit", in: 1...1000) { query.append(HTTPField("limit", String(limit))) }
    if let after = arguments.string("after") { query.append(HTTPField("after", after)) }
    return .get("/sessions", query: query)
  }

  static let session = ControlAction(
    "session", "one session, as JSON", operand: "ID", example: "session conn_0_1"
  ) { .get("/sessions/\(PercentEncoding.encode($1))") }
}
