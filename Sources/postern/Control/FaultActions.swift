import GatewayCore
import GatewayKit

// The fault actions of `postern ctl`.

extension ControlAction {
  static let fault = ControlAction(
    "fault", "have the gateway fail so from here on (postern ctl faults --known tells what there is)", operand: "JSON",
    example: #"fault '{"fault": "drop", "what": "reply:refresh", "times": 1}'"#, telling: .table
  ) { call in
    HTTPRequest(
      method: "POST", path: "/faults", headers: [HTTPField("content-type", "application/json")],
      body: Array(call.operand.utf8))
  }

  static let faults = ControlAction(
    "faults", "the faults that the gateway has been ordered to have, and how often they befell",
    options: [Option("known", "every fault there is, with an order of each", \.self)], from: false,
    tellingBy: { isOfKnown in isOfKnown ? .knownFaults : .table }
  ) { isOfKnown, _ in .get(isOfKnown ? "/faults/known" : "/faults") }

  private struct Mending: Sendable {
    var number: Int?
    var isOfAll = false
  }

  static let mend = ControlAction(
    "mend", "take a fault back, or all of them", example: "mend --number 3",
    options: [
      Option("number", "N", "the fault's number", \.number, .int(1...Int(UInt32.max))),
      Option("all", "every fault", \.isOfAll),
    ], from: Mending()
  ) { draft, _ in
    switch (draft.number, draft.isOfAll) {
    case (let number?, false): HTTPRequest(method: "DELETE", path: "/faults/\(number)")
    case (nil, true): HTTPRequest(method: "DELETE", path: "/faults")
    default: throw UsageError("ctl mend needs one of --number N and --all")
    }
  }
}
