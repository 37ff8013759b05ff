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
    var body = [JSONMember("expect", name)]
    for flag in ["user", "dialect", "since", "attempt"] {
      if let text = arguments.string(flag) { body.append(JSONMember(flag, text)) }
    }
    for (flag, member, range) in [("after", "after", 0...(1 << 53) - 1), ("at-most", "at_most", 0...1_000_000)] {
      if let number = try arguments.int(flag, in: range) { body.append(JSONMember(member, json: String(number))) }
    }
    for (flag, member) in [("at-least", "at_least_ms"), ("quiet", "quiet_ms"), ("within", "within_ms")] {
      if let duration = try arguments.duration(flag) {
        body.append(JSONMember(member, json: String(duration.milliseconds)))
      }
    }
    if try arguments.isOn("new-token") { body.append(JSONMember("new_token", json: "true")) }
    return .post("/journal/expect", body)
  }
}
