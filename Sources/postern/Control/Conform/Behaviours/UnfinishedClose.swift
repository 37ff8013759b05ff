extension Behaviour {
  static let unfinishedClose = Behaviour(
    name: "unfinished-close", covers: ["T4"],
    sentence:
      "The client comes back, and does not wait for ever, if the gateway does not finish the closing handshake.",
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("unfinished_close", times: 1)
      try await scene.disconnect(1012, "restart")
      try await scene.see(
        "logged_in", count: 2, within: .seconds(45), or: "the client did not come back within 45 s")
    },
    expected: [.stopsAfter(3, quiet: .seconds(1))], bound: .seconds(90))
}
