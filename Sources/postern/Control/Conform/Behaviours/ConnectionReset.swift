extension Behaviour {
  static let connectionReset = returning(
    "connection-reset", covers: ["T1", "S5"],
    sentence:
      "The client comes back, after waits with jitter, if its connection breaks without a close frame.",
    end: { scene in try await scene.fail("reset", times: 1) })
}
