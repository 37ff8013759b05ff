import GatewayControl
import GatewayCore
import GatewayKit

// The journal actions of `postern ctl`.

extension ControlAction {
  /// The flags that select lines.
  private static let aim = [
    Flag("user", "ID", "this user's only"), Flag("connection", "ID", "of this connection only"),
    Flag("dialect", "NAME", "of this wire only"), Flag("after", "N", "those behind this number (default 0)"),
  ]

  private static let numbers = 0...(1 << 53) - 1

  static let journal = ControlAction(
    "journal", "what happened, a line for each", example: "journal --user ann --kind refresh_requested,refreshed",
    flags: aim + [
      Flag("kind", "KIND", "of this kind only, or of several with commas between them"),
      Flag("limit", "N", "how many at most, 1 to 1000 (default 100)"),
      Flag("payloads", nil, "with what messages said, but for secrets"),
    ], telling: .lines
  ) { arguments, _ in
    var query = ["user", "connection", "dialect", "kind"].compactMap { flag in
      arguments.string(flag).map { HTTPField(flag, $0) }
    }
    for (flag, range) in [("after", numbers), ("limit", 1...1000)] {
      if let number = try arguments.int(flag, in: range) { query.append(HTTPField(flag, String(number))) }
    }
    if try arguments.isOn("payloads") { query.append(HTTPField("payloads", "true")) }
    return .get("/journal", query: query)
  }

  private static let usualWait = Duration.seconds(5)

  static let wait = ControlAction(
    "await", "wait until something has happened, in real time; exit status 1 if it has not", operand: "KIND",
    example: "await refreshed --user ann --count 2 --within 5s",
    flags: aim + [
      Flag("count", "N", "how often (default 1)"), Flag("within", "DURATION", "how long at most (default 5s)"),
    ], telling: .lines
  ) { arguments, kind in
    let within = try arguments.duration("within") ?? usualWait
    let order = WaitOrder(
      kind: kind, user: arguments.string("user"), connection: arguments.string("connection"),
      dialect: arguments.string("dialect"), count: try arguments.int("count", in: 1...1000),
      after: try arguments.int("after", in: numbers), withinMs: Int(within.milliseconds))
    return try .post("/journal/await", order)
  }
}
