extension Behaviour {
  static let goingAway = returning(
    "going-away", covers: ["X5", "H3"], code: 1001,
    sentence:
      "The client comes back after each close with 1001, as of a draining gateway, after waits with jitter."
  )
}
