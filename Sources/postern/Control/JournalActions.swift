import GatewayControl
import GatewayCore
import GatewayKit

// The journal actions of `postern ctl`.

extension ControlAction {
  static let journal = ControlAction(
    "journal", "print the journal, one event a line", example: "journal --user ann --kind refresh_requested,refreshed",
    options: lines, from: [HTTPField](), telling: .lines
  ) { query, _ in .get("/journal", query: query) }

  @OptionList<[HTTPField]>
  private static var lines: [Option<[HTTPField]>] {
    parameter("user", "ID", "only events of this user")
    parameter("connection", "ID", "only events of this connection")
    parameter("dialect", "NAME", "only events of this dialect")
    parameter("after", "N", "only events after this number, or after the place that a page names (default 0)")
    parameter("kind", "KIND", "only events of this kind, or of several, separated by commas")
    parameter("limit", "N", "the most events to print, 1 to 1000 (default 100)", in: 1...1000)
    Option("payloads", "print the messages too, without their secrets", \.withPayloads)
  }

  static let wait = ControlAction(
    "await", "wait until an event has happened, in real time; exit status 1 if it does not happen", operand: "KIND",
    example: "await refreshed --user ann --count 2 --within 5s", options: waiting,
    from: WaitOrder(kind: "", withinMs: 5000), telling: .lines
  ) { order, call in
    var order = order
    order.kind = call.operand
    return try .post("/journal/await", order)
  }

  @OptionList<WaitOrder>
  private static var waiting: [Option<WaitOrder>] {
    Option("user", "ID", "only events of this user", \.user, .text)
    Option("connection", "ID", "only events of this connection", \.connection, .text)
    Option("dialect", "NAME", "only events of this dialect", \.dialect, .text)
    Option(
      "after", "N", "only events after this number, or after the place that a page names (default 0)", \.after,
      Reading<String>.text.map { text, _ in JournalPlace(text) })
    Option("count", "N", "how often the event must happen (default 1)", \.count, .int(1...1000))
    Option("within", "DURATION", "how long to wait for the event (default 5s)", \.withinMs, .milliseconds)
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
