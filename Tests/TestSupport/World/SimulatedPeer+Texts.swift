package import GatewaySimulator

extension SimulatedPeer {
  /// Returns how many of the messages contain `text`.
  package func count(_ text: String) -> Int { texts.count { $0.contains(text) } }
}
