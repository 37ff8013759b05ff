import GatewayKit

extension Behaviour {
  static let cutOffByTimeout = Behaviour(
    name: "cut-off-by-timeout", covers: ["E2", "P1", "R10"],
    sentence:
      "The client comes back with a new token, not the expired one, if it was cut off because its provider was too slow.",
    settings: impatient,
    // The provider takes as long as the time of the space does, so the client is cut off whatever the machine does.
    isFrozen: true,
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail("mint_slowly", [JSONMember("by_ms", json: "10000")])
      try await scene.expire()
      try await scene.see(
        "provider_asked", after: first, or: "the client did not ask its provider for a token")
      try await scene.advance(by: .seconds(6), patience: .zero)
      try await scene.see("closed", after: first, or: "the connection was not cut off")
      // The answer in flight comes now. A client that got it before it noticed its end may ask once more, which takes
      // as long again. A client that is about to log in has time for that.
      for _ in 1...40 {
        try await scene.advance(by: .seconds(10))
        if try await scene.line("logged_in", after: first, within: .seconds(1)) != nil { return }
      }
    },
    expected: [.comesBack(within: .seconds(15), newToken: true), .singleFlight], patience: .seconds(20),
    bound: .seconds(90))
}
