extension Behaviour {
  static let goingAway = returning(
    "going-away", covers: ["X5", "H3"], code: 1001,
    sentence:
      "Closed with 1001, as by a gateway that is drained, the client comes back each time, after waits that differ by chance."
  )
}
