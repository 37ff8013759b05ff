import GatewayKit

extension Behaviour {
  static let expiredWhileAway = Behaviour(
    name: "expired-while-away", covers: ["E3"],
    sentence:
      "The client comes back with another token if its own expired while it was not connected, and does not keep trying the expired one.",
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
