import GatewayKit

extension Behaviour {
  static let closedBeforeReply = Behaviour(
    name: "closed-before-reply", covers: ["T9", "R12"],
    sentence:
      "The client comes back, and does not wait for the reply, if it is closed between its refresh and the reply.",
    settings: impatient,
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("drop", [JSONMember("what", "reply:refresh")], times: 1)
      try await scene.expire()
      try await scene.see("refreshed", or: "the client was not refreshed within 15 s")
      try await scene.disconnect(1012, "restart")
    },
    expected: [.comesBack(within: .seconds(20)), .stopsAfter(3, quiet: .seconds(2)), .singleFlight],
    patience: .seconds(25))
}
