import GatewayKit

// The use of a simulation's scenario for a storm over sockets.

extension SimulateScenario {
  /// The flags that name a dialect, where the file does and nobody says otherwise.
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

  /// The settings that a storm ignores, as caveats.
  var stormCaveats: [String] {
    guard !simulated.isEmpty else { return [] }
    let names = simulated.joined(separator: ", ")
    return ["of the scenario a storm over sockets heeds no \(names): those are for postern simulate"]
  }
}
