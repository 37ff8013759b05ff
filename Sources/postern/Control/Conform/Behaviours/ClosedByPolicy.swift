extension Behaviour {
  static let closedByPolicy = terminal(
    "closed-by-policy", covers: ["S4"], code: 1008,
    sentence: "Closed with 1008, for what it is or does, the client stays away.")
}
