import GatewayControl
import GatewayCore
import GatewayKit

extension ControlAction {
  /// The action that checks an expectation of a client against the journal.
  static let expect = ControlAction(
    "expect", "hold a client to an expectation, by the journal; exit status 1 if it fails", operand: "NAME",
    example: "expect single_flight --user ann --space t17",
    flags: [
      Flag("user", "ID", "whose client (default: that of the only user in the journal)"),
      Flag("dialect", "NAME", "without connections of other wires, where the client has some of two"),
      Flag("after", "N", "by the lines behind this number (default 0)"),
      Flag("since", "KIND", "what a wait begins with (default closed)"),
      Flag("attempt", "connection|provider|refresh", "what is attempted"),
      Flag("at-least", "DURATION", "how long a wait has to be"),
      Flag("at-most", "N", "how many attempts there may be"),
      Flag("quiet", "DURATION", "how long nothing has to happen (default 1s)"),
      Flag("within", "DURATION", "how long it may take"),
      Flag("new-token", nil, "another token than before is wanted"),
    ], telling: .verdict
  ) { arguments, name in
    let milliseconds = { flag in try arguments.duration(flag).map { Int($0.milliseconds) } }
    let order = ExpectOrder(
      expect: name, user: arguments.string("user"), dialect: arguments.string("dialect"),
      after: try arguments.int("after", in: 0...(1 << 53) - 1), since: arguments.string("since"),
      attempt: arguments.string("attempt"), atLeastMs: try milliseconds("at-least"),
      atMost: try arguments.int("at-most", in: 0...1_000_000), quietMs: try milliseconds("quiet"),
      withinMs: try milliseconds("within"), newToken: try arguments.isOn("new-token") ? true : nil)
    return try .post("/journal/expect", order)
  }
}
