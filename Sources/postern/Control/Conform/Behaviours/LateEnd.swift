import GatewayKit

extension Behaviour {
  static let lateEnd = Behaviour(
    name: "late-end", covers: ["R11", "X12"],
    sentence:
      "The client stays on its new connection, and opens no other, if the old one ends only after the new one is open.",
    settings: [JSONMember("ping-interval", "0s")],
    script: { scene in
      try await scene.seeLogin()
      let number = try await scene.fail("half_open", times: 1)
      let back = try await scene.see(
        "logged_in", count: 2, within: .seconds(75),
        or: "the client did not notice within 75 s that nothing came through any more")
      // The old connection resumes, and ends.
      try await scene.mend(number)
      try await scene.seeOneSession(within: .seconds(20))
      guard try await scene.line("connection_opened", after: back, within: .seconds(3)) == nil else {
        throw ConformEnd(verdict: .failed, sentence: "the client opened another connection when its old one had ended")
      }
    },
    expected: [.stopsAfter(3, quiet: .seconds(1))], bound: .seconds(130))
}
