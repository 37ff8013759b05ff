import GatewayKit

extension Behaviour {
  static let shortLife = Behaviour(
    name: "short-life", covers: ["E6"],
    sentence:
      "The client refreshes tokens whose life is shorter than the gateway's lead when it is asked, and not in a loop.",
    settings: [JSONMember("refresh-lead", "30s"), JSONMember("token-life", "10s")], isFrozen: true,
    token: .living(.seconds(10)),
    returning: Returning(
      script: { scene in
        let first = try await scene.seeLogin()
        try await scene.advance(by: .seconds(11))
        try await scene.seeRenewal(after: first, or: "the client did not come back within 15 s")
        try await scene.pass(.seconds(3))
      },
      expected: renewedByReturning + [
        .stopsAfter(2, "provider", quiet: .seconds(2)), .stopsAfter(3, quiet: .seconds(2)),
      ]),
    script: { scene in
      try await scene.seeLogin()
      try await scene.advance(by: .seconds(6))
      try await scene.see("refreshed", or: "the client was not refreshed")
      // The token does not age, however long the client waits.
      try await scene.pass(.seconds(3))
    },
    expected: [
      .refreshedInTime, .oneProviderCallPerExpiry, .stopsAfter(2, "provider", quiet: .seconds(2)),
      .stopsAfter(1, quiet: .seconds(2)),
    ])
}
