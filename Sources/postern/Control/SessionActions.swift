import GatewayCore
import GatewayKit

// The actions of `postern ctl` that list sessions.

extension ControlAction {
  static let sessions = ControlAction(
    "sessions", "a table of the sessions", example: "sessions --user ann",
    flags: [
      Flag("user", "ID", "this user's only"), Flag("dialect", "NAME", "those only that speak this dialect"),
    ] + pageFlags, telling: .sessions
  ) { arguments, _ in
    let choice = ["user", "dialect"].compactMap { name in arguments.string(name).map { HTTPField(name, $0) } }
    return .get("/sessions", query: choice + (try page(arguments)))
  }

  static let session = ControlAction(
    "session", "one session, as JSON", operand: "ID", example: "session conn_0_1"
  ) { .get("/sessions/\(PercentEncoding.encode($1))") }

  /// The flags that select a page of a list.
  static let pageFlags = [
    Flag("limit", "N", "how many at most, 1 to 1000 (default 100)"),
    Flag("after", "ID", "those after this one, to get the next page"),
  ]

  static func page(_ arguments: Arguments) throws -> [HTTPField] {
    let limit = try arguments.int("limit", in: 1...1000).map { [HTTPField("limit", String($0))] } ?? []
    return limit + (arguments.string("after").map { [HTTPField("after", $0)] } ?? [])
  }
}
