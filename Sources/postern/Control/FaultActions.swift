import GatewayCore
import GatewayKit

// The fault actions of `postern ctl`.

extension ControlAction {
  static let fault = ControlAction(
    "fault", "have the gateway fail so from here on (postern ctl faults --known tells what there is)", operand: "JSON",
    example: #"fault '{"fault": "drop", "what": "reply:refresh", "times": 1}'"#, telling: .table
  ) { _, order in
    HTTPRequest(
      method: "POST", path: "/faults", headers: [HTTPField("content-type", "application/json")],
      body: Array(order.utf8))
  }

  static let faults = ControlAction(
    "faults", "the faults that the gateway has been ordered to have, and how often they befell",
    flags: [Flag("known", nil, "every fault there is, with an order of each")],
    tellingBy: { arguments in try arguments.isOn("known") ? .knownFaults : .table }
  ) { arguments, _ in .get(try arguments.isOn("known") ? "/faults/known" : "/faults") }

  static let mend = ControlAction(
    "mend", "take a fault back, or all of them", example: "mend --number 3",
    flags: [Flag("number", "N", "the fault's number"), Flag("all", nil, "every fault")]
  ) { arguments, _ in
    switch (try arguments.int("number", in: 1...Int(UInt32.max)), try arguments.isOn("all")) {
    case (let number?, false): HTTPRequest(method: "DELETE", path: "/faults/\(number)")
    case (nil, true): HTTPRequest(method: "DELETE", path: "/faults")
    default: throw UsageError("ctl mend needs one of --number N and --all")
    }
  }
}
