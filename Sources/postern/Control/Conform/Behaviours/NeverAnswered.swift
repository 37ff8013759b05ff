extension Behaviour {
  static let neverAnswered = Behaviour(
    name: "never-answered", covers: ["T5"],
    sentence: "The client gives up an upgrade that is never answered, and tries again.",
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("never_answer", times: 1)
      try await scene.disconnect(1012, "restart")
      try await scene.see(
        "logged_in", count: 2, within: .seconds(60), or: "the client did not try again within 60 s")
    },
    expected: [.stopsAfter(3, quiet: .seconds(1))], bound: .seconds(90))
}
