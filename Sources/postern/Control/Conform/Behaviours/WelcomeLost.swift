import GatewayKit

extension Behaviour {
  static let welcomeLost = Behaviour(
    name: "welcome-lost", covers: ["T6"],
    sentence: "The client gives up a connection whose login is not answered, and opens another.",
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("drop", [JSONMember("what", "reply:login")], times: 1)
      try await scene.disconnect(1012, "restart")
      try await scene.see(
        "logged_in", count: 3, within: .seconds(60),
        or: "the client did not open another connection within 60 s, though it was never welcomed")
    },
    expected: [.stopsAfter(4, quiet: .seconds(1))], bound: .seconds(90))
}
