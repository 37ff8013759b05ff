import GatewayCore

extension Behaviour {
  static let closedByPolicy = terminal(
    "closed-by-policy", covers: ["S4"], code: 1008, meanings: [.close(1008, .giveUp)],
    sentence: "The client stays away after a close with 1008, a policy violation.")
}
