package import GatewaySimulator

extension SimulatedPeer {
  /// How many of the messages hold `text`.
  package func count(_ text: String) -> Int { texts.count { $0.contains(text) } }
}
