import GatewayKit

extension Behaviour {
  static let requestLost = Behaviour(
    name: "request-lost", covers: ["E2", "R1"],
    sentence: "Cut off since it never got the request for another token, the client comes back with one.",
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
