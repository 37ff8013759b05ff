import GatewayKit

extension Behaviour {
  static let halfOpen = Behaviour(
    name: "half-open", covers: ["T2", "T3", "T8"],
    sentence: "The client notices a connection that is open and delivers nothing, and opens another.",
    // With pings, the gateway would notice and end the connection.
    settings: [JSONMember("ping-interval", "0s")],
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("half_open", times: 1)
      try await scene.see(
        "logged_in", count: 2, within: .seconds(75),
        or: "the client did not notice within 75 s that nothing came through any more")
    },
    expected: [.stopsAfter(3, quiet: .seconds(1))], bound: .seconds(100))
}
