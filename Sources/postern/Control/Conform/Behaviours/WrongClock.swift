import GatewayKit

extension Behaviour {
  static let wrongClock = Behaviour(
    name: "wrong-clock", covers: ["C1", "C3", "C4"],
    sentence:
      "The client gets one new token when it is told to, though its clock is two hours behind the gateway's or ahead of it.",
    meanings: [.badTokenIsNotFinal],
    script: { scene in
      var last = try await scene.seeLogin()
      for hours in [2, -2] {
        let ahead = [JSONMember("ahead_s", json: String(hours * 3_600))]
        let mended = try await scene.fail("gateway_clock", ahead)
        let issuer = try await scene.fail("issuer_clock", ahead)
        try await scene.disconnect(1012, "restart")
        last = try await scene.see(
          "logged_in", after: last, within: .seconds(20),
          or: "the client did not come back within 20 s with a clock that is \(hours) h behind")
        // A client that judges tokens by its own clock would request token after token now.
        try await scene.pass(.seconds(2))
        for number in [mended, issuer] { try await scene.mend(number) }
      }
    },
    expected: [
      .stopsAfter(4, "provider", quiet: .seconds(2)), .stopsAfter(7, quiet: .seconds(2)), .singleFlight,
    ], bound: .seconds(90))
}
