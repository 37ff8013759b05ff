import GatewayCore

extension Behaviour {
  static let closedByPolicy = terminal(
    "closed-by-policy", covers: ["S4"], code: 1008, meanings: [.close(1008, .giveUp)],
    sentence: "Closed with 1008, for what it is or does, the client stays away.")
}
