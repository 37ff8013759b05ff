import GatewayControl
import GatewayCore
import GatewayKit

// The journal actions of `postern ctl`.

extension ControlAction {
  private static let numbers = 0...(1 << 53) - 1

  static let journal = ControlAction(
    "journal", "what happened, a line for each", example: "journal --user ann --kind refresh_requested,refreshed",
    options: lines, from: [HTTPField](), telling: .lines
  ) { query, _ in .get("/journal", query: query) }

  @OptionList<[HTTPField]>
  private static var lines: [Option<[HTTPField]>] {
    parameter("user", "ID", "this user's only")
    parameter("connection", "ID", "of this connection only")
    parameter("dialect", "NAME", "of this wire only")
    parameter("after", "N", "those behind this number (default 0)", in: numbers)
    parameter("kind", "KIND", "of this kind only, or of several with commas between them")
    parameter("limit", "N", "how many at most, 1 to 1000 (default 100)", in: 1...1000)
    Option("payloads", "with what messages said, but for secrets", \.withPayloads)
  }

  static let wait = ControlAction(
    "await", "wait until something has happened, in real time; exit status 1 if it has not", operand: "KIND",
    example: "await refreshed --user ann --count 2 --within 5s", options: waiting,
    from: WaitOrder(kind: "", withinMs: 5000), telling: .lines
  ) { order, call in
    var order = order
    order.kind = call.operand
    return try .post("/journal/await", order)
  }

  @OptionList<WaitOrder>
  private static var waiting: [Option<WaitOrder>] {
    Option("user", "ID", "this user's only", \.user, .text)
    Option("connection", "ID", "of this connection only", \.connection, .text)
    Option("dialect", "NAME", "of this wire only", \.dialect, .text)
    Option("after", "N", "those behind this number (default 0)", \.after, .int(numbers))
    Option("count", "N", "how often (default 1)", \.count, .int(1...1000))
    Option("within", "DURATION", "how long at most (default 5s)", \.withinMs, .milliseconds)
  }
}

extension [HTTPField] {
  fileprivate var withPayloads: Bool {
    get { self[parameter: "payloads"] != nil }
    set { self[parameter: "payloads"] = newValue ? "true" : nil }
  }
}

extension Reading<Int> {
  /// Reads a duration in whole milliseconds.
  static var milliseconds: Self { Reading<Duration>.duration.map { duration, _ in Int(duration.milliseconds) } }
}
