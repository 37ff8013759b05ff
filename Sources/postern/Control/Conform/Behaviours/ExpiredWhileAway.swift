import GatewayKit

extension Behaviour {
  static let expiredWhileAway = Behaviour(
    name: "expired-while-away", covers: ["E3"],
    sentence:
      "A client whose token ends while it is not connected comes back with another, without trying the dead one on and on.",
    script: { scene in
      try await scene.seeLogin()
      // A client may be back before the next order arrives. So tokens expire at once for every login from here on; open
      // connections keep their deadlines.
      for clock in ["gateway_clock", "issuer_clock"] {
        try await scene.fail(clock, [JSONMember("ahead_s", json: "7200")])
      }
      try await scene.disconnect(1012, "restart")
    },
    expected: [.comesBack(within: .seconds(15), newToken: true), .stopsTrying(quiet: .seconds(2)), .singleFlight],
    patience: .seconds(20))
}
