import GatewayKit

extension Behaviour {
  static let requestLost = Behaviour(
    name: "request-lost", covers: ["E2", "R1"],
    sentence: "The client comes back with a new token if it was cut off because the refresh request was lost.",
    settings: impatient,
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("drop", [JSONMember("what", "request:refresh")], times: 1)
      try await scene.expire()
      try await scene.see("cut_off", or: "the client was not cut off, though nobody had told it anything")
    },
    expected: [.comesBack(within: .seconds(15), newToken: true), .stopsTrying(quiet: .seconds(2)), .singleFlight],
    patience: .seconds(20))
}
