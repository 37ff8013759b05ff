import GatewayKit

extension Behaviour {
  /// The duration of each failure in seconds, and the number of calls allowed during it: four a second.
  private static let (failingTime, callsMax) = (5, 20)

  static let failingProvider = Behaviour(
    name: "failing-provider", covers: ["P4"],
    sentence: "The client asks a provider that fails for five seconds again, after pauses, until it has its token.",
    settings: [JSONMember("refresh-timeout", "600s")],
    script: { scene in
      var last = try await scene.seeLogin()
      for _ in 0..<2 {
        let number = try await scene.fail("mint_refused", [JSONMember("status", json: "503")])
        try await scene.expire()
        try await scene.see(
          "provider_failed", after: last, or: "the client did not ask its provider for a token")
        try await scene.pass(.seconds(Int64(failingTime)))
        try await scene.mend(number)
        last = try await scene.needingProvider(after: last) {
          try await scene.seeRenewal(
            after: last, within: .seconds(40), or: "the client has no new token 40 s after its provider was well again")
        }
      }
    },
    // Each time, one more call succeeds.
    expected: [
      .stopsAfter(2 * (callsMax + 1), "provider", quiet: .zero), .singleFlight, .oneProviderCallPerExpiry,
    ],
    bound: .seconds(150))
}
