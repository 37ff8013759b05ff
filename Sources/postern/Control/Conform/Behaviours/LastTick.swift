import GatewayKit

extension Behaviour {
  static let lastTick = Behaviour(
    name: "last-tick", covers: ["E8"],
    sentence:
      "The client sends no second token if the first one arrives in the last millisecond of the timeout, and counts.",
    isFrozen: true,
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail(
        "delay", [JSONMember("what", "refresh"), JSONMember("by_ms", json: "2000")], times: 1)
      try await scene.expire()
      try await scene.see("faulted", or: "the client did not bring a token")
      // While it is on its way.
      try await scene.advance(by: .milliseconds(59_999), patience: .zero)
      try await scene.see("refreshed", or: "the client was not refreshed")
      try await scene.advance(by: .seconds(1), patience: .zero)
    },
    expected: [.keepsConnection, .oneProviderCallPerExpiry, .stopsAfter(1, "refresh", quiet: .seconds(1))])
}
