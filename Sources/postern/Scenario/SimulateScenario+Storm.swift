import GatewayKit

// The parts of a scenario that a storm over sockets uses or ignores.

extension SimulateScenario {
  /// Returns the flags with the dialect and SDK of the file, unless the flags name them.
  func filling(_ arguments: Arguments) -> Arguments {
    var filled = arguments
    if let dialect, arguments.value("dialect") == nil, arguments.value("wire") == nil {
      filled.given["dialect"] = [.init(text: dialect, source: "\"dialect\" of --scenario")]
    }
    if let sdk, arguments.value("sdk") == nil {
      filled.given["sdk"] = [.init(text: sdk, source: "\"sdk\" of --scenario")]
    }
    return filled
  }

  /// The warnings about keys that a storm ignores.
  var stormCaveats: [String] {
    guard !simulated.isEmpty else { return [] }
    let names = simulated.joined(separator: ", ")
    return ["of the scenario a storm over sockets heeds no \(names): those are for postern simulate"]
  }
}
