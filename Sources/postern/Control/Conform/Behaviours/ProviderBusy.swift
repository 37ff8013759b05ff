import GatewayKit

extension Behaviour {
  static let providerBusy = Behaviour(
    name: "provider-busy", covers: ["P3"],
    sentence:
      "The client asks a provider that answers 429 and Retry-After no sooner than that, and then refreshes.",
    returning: Returning(expected: [
      .waitsAtLeast(.seconds(3), since: "provider_failed"), .oneProviderCallPerExpiry, .singleFlight,
      .comesBack(within: .seconds(60), newToken: true),
    ]),
    timed: Timed(expected: [
      .waitsAtLeast(.seconds(3), since: "provider_failed"), .oneProviderCallPerExpiry, .singleFlight,
    ]),
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail(
        "mint_refused", [JSONMember("status", json: "429"), JSONMember("retry_after_s", json: "3")], times: 2)
      try await scene.expire()
      try await scene.needingProvider(after: first) {
        try await scene.seeRenewal(
          after: first, within: .seconds(45),
          or: "the client has no new token, though its provider had time again")
      }
    },
    expected: [
      .waitsAtLeast(.seconds(3), since: "provider_failed"), .oneProviderCallPerExpiry, .singleFlight, .keepsConnection,
    ], bound: .seconds(90))
}
