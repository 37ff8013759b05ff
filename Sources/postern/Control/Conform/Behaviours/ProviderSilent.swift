extension Behaviour {
  static let providerSilent = Behaviour(
    name: "provider-silent", covers: ["P1"],
    sentence: "The client gives up waiting for a provider that never answers, and asks again.",
    settings: impatient, timed: Timed(expected: quietAtLast),
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail("mint_never", times: 1)
      try await scene.expire()
      let asked = try await scene.see(
        "provider_asked", after: first, or: "the client did not ask its provider for a token")
      try await scene.needingProvider(after: first) {
        try await scene.see(
          "provider_minted", after: asked, within: .seconds(75), or: "the client did not ask again within 75 s")
      }
      try await scene.seeRenewal(
        after: first, within: .seconds(32), or: "the client was neither refreshed nor came back with its token")
    },
    expected: quietAtLast, bound: .seconds(120))

  private static let quietAtLast: [Demand] = [
    .stopsAfter(4, "provider", quiet: .seconds(2)), .stopsAfter(3, quiet: .seconds(2)),
  ]
}
