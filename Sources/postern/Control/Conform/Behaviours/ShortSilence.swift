import GatewayKit

extension Behaviour {
  static let shortSilence = Behaviour(
    name: "short-silence", covers: ["T10"],
    sentence: "The client has exactly one connection, the old or a new one, after a silence of five seconds.",
    settings: [JSONMember("ping-interval", "0s")],
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("half_open", [JSONMember("for_s", json: "5")], times: 1)
      try await scene.pass(.seconds(6))
      try await scene.seeOneSession(within: .seconds(20))
    },
    expected: [.stopsAfter(3, quiet: .seconds(3))])
}
