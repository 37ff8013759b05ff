extension Behaviour {
  static let expiredWhileAway = Behaviour(
    name: "expired-while-away", covers: ["E3"],
    sentence:
      "A client whose token ends while it is not connected comes back with another, without trying the dead one on and on.",
    script: { scene in
      try await scene.seeLogin()
      try await scene.disconnect(1012, "restart")
      try await scene.advance(by: .seconds(7_200))
    },
    expected: [.comesBack(within: .seconds(15), newToken: true), .stopsTrying(quiet: .seconds(2)), .singleFlight],
    patience: .seconds(20))
}
