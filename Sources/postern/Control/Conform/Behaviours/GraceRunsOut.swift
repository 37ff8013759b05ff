import GatewayKit

extension Behaviour {
  static let graceRunsOut = Behaviour(
    name: "grace-runs-out", covers: ["E7"],
    sentence:
      "The client comes back with another token when it is cut off after the end of a grace, without a refresh.",
    isFrozen: true,
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("mint_refused", [JSONMember("status", json: "503"), JSONMember("for_s", json: "55")])
      try await scene.expire()
      try await scene.advance(by: .seconds(30), patience: .milliseconds(500))
      try await scene.advance(by: .seconds(31), patience: .zero)
      try await scene.see("closed", or: "the connection was not cut off")
    },
    expected: [.comesBack(within: .seconds(30), newToken: true), .singleFlight], patience: .seconds(35))
}
