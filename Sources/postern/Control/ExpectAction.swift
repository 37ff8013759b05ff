import GatewayControl
import GatewayCore
import GatewayKit

extension ControlAction {
  /// The action that checks an expectation of a client against the journal.
  static let expect = ControlAction(
    "expect", "check an expectation of a client against the journal; exit status 1 if it fails", operand: "NAME",
    example: "expect single_flight --user ann --space t17", options: expectation, from: ExpectOrder(expect: ""),
    telling: .verdict
  ) { order, call in
    var order = order
    order.expect = call.operand
    return try .post("/journal/expect", order)
  }

  @OptionList<ExpectOrder>
  private static var expectation: [Option<ExpectOrder>] {
    Option("user", "ID", "the user whose client is checked (default: the only user in the journal)", \.user, .text)
    Option("dialect", "NAME", "check only connections of this dialect", \.dialect, .text)
    Option(
      "after", "N", "check only journal entries after this number, or after the place that a page names (default 0)",
      \.after, Reading<String>.text.map { text, _ in JournalPlace(text) })
    Option("since", "KIND", "the kind of event that starts the wait (default closed)", \.since, .text)
    Option(
      "attempt", "connection|provider|refresh", "the kind of attempt that is counted or waited for", \.attempt, .text)
    Option("at-least", "DURATION", "the shortest wait that passes", \.atLeastMs, .milliseconds)
    Option("at-most", "N", "the most attempts that pass", \.atMost, .int(0...1_000_000))
    Option("quiet", "DURATION", "how long nothing may happen (default 1s)", \.quietMs, .milliseconds)
    Option("within", "DURATION", "how long the client may take", \.withinMs, .milliseconds)
    Option("new-token", "require a token other than the previous one", \.wantsNewToken)
    Option(
      "per-connection", "do not count a provider call whose connection has ended since it began",
      \.countsPerConnection)
  }
}

extension ExpectOrder {
  fileprivate var wantsNewToken: Bool {
    get { newToken == true }
    set { newToken = newValue ? true : nil }
  }

  fileprivate var countsPerConnection: Bool {
    get { perConnection == true }
    set { perConnection = newValue ? true : nil }
  }
}
