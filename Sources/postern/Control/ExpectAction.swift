import GatewayControl
import GatewayCore
import GatewayKit

extension ControlAction {
  /// The action that checks an expectation of a client against the journal.
  static let expect = ControlAction(
    "expect", "hold a client to an expectation, by the journal; exit status 1 if it fails", operand: "NAME",
    example: "expect single_flight --user ann --space t17", options: expectation, from: ExpectOrder(expect: ""),
    telling: .verdict
  ) { order, call in
    var order = order
    order.expect = call.operand
    return try .post("/journal/expect", order)
  }

  @OptionList<ExpectOrder>
  private static var expectation: [Option<ExpectOrder>] {
    Option("user", "ID", "whose client (default: that of the only user in the journal)", \.user, .text)
    Option("dialect", "NAME", "without connections of other wires, where the client has some of two", \.dialect, .text)
    Option("after", "N", "by the lines behind this number (default 0)", \.after, .int(0...(1 << 53) - 1))
    Option("since", "KIND", "what a wait begins with (default closed)", \.since, .text)
    Option("attempt", "connection|provider|refresh", "what is attempted", \.attempt, .text)
    Option("at-least", "DURATION", "how long a wait has to be", \.atLeastMs, .milliseconds)
    Option("at-most", "N", "how many attempts there may be", \.atMost, .int(0...1_000_000))
    Option("quiet", "DURATION", "how long nothing has to happen (default 1s)", \.quietMs, .milliseconds)
    Option("within", "DURATION", "how long it may take", \.withinMs, .milliseconds)
    Option("new-token", "another token than before is wanted", \.wantsNewToken)
  }
}

extension ExpectOrder {
  fileprivate var wantsNewToken: Bool {
    get { newToken == true }
    set { newToken = newValue ? true : nil }
  }
}
