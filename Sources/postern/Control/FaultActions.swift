import GatewayCore
import GatewayKit

// The fault actions of `postern ctl`.

extension ControlAction {
  static let fault = ControlAction(
    "fault", "order a fault of the gateway (postern ctl faults --known lists all)", operand: "JSON",
    example: #"fault '{"fault": "drop", "what": "reply:refresh", "times": 1}'"#, telling: .table
  ) { call in
    HTTPRequest(
      method: "POST", path: "/faults", headers: [HTTPField("content-type", "application/json")],
      body: Array(call.operand.utf8))
  }

  static let faults = ControlAction(
    "faults", "list the ordered faults, and how often each took effect",
    options: [Option("known", "list every known fault, with an order as an example", \.self)], from: false,
    tellingBy: { isOfKnown in isOfKnown ? .knownFaults : .table }
  ) { isOfKnown, _ in .get(isOfKnown ? "/faults/known" : "/faults") }

  private struct Mending: Sendable {
    var number: Int?
    var isOfAll = false
  }

  static let mend = ControlAction(
    "mend", "withdraw one fault, or all of them", example: "mend --number 3",
    options: [
      Option(
        "number", "N", "the fault to withdraw, by its number in postern ctl faults", \.number, .int(1...Int(UInt32.max))
      ),
      Option("all", "withdraw every ordered fault", \.isOfAll),
    ], from: Mending()
  ) { draft, _ in
    switch (draft.number, draft.isOfAll) {
    case (let number?, false): HTTPRequest(method: "DELETE", path: "/faults/\(number)")
    case (nil, true): HTTPRequest(method: "DELETE", path: "/faults")
    default: throw UsageError("ctl mend needs one of --number N and --all")
    }
  }
}
