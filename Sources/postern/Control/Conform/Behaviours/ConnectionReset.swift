extension Behaviour {
  static let connectionReset = returning(
    "connection-reset", covers: ["T1", "S5"],
    sentence:
      "When its connection breaks off without a close frame the client comes back, after waits that differ by chance.",
    end: { scene in try await scene.fail("reset", times: 1) })
}
