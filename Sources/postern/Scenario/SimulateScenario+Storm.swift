// The parts of a scenario that a storm over sockets uses or ignores.

extension SimulateScenario {
  /// The warnings about keys that a storm ignores.
  var stormCaveats: [String] {
    guard !simulated.isEmpty else { return [] }
    let names = simulated.joined(separator: ", ")
    return ["of the scenario a storm over sockets heeds no \(names): those are for postern simulate"]
  }
}
