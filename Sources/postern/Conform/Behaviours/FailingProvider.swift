import GatewayKit

extension Behaviour {
  static let failingProvider = Behaviour(
    name: "failing-provider", covers: ["P4"],
    sentence: "A provider that fails more often than not is asked again after a pause, until the client has its token.",
    settings: [
      JSONMember("provider-failure-rate", json: "0.6"), JSONMember("refresh-timeout", "600s"),
    ],
    script: { scene in
      var last = try await scene.seeLogin()
      for _ in 0..<3 {
        try await scene.expire()
        last = try await scene.needingProvider(after: last) {
          try await scene.seeRenewal(
            after: last, within: .seconds(40), or: "the client has no new token 40 s after its last one expired")
        }
      }
    },
    expected: [.waitsAtLeast(.milliseconds(50), since: "provider_failed"), .singleFlight, .oneProviderCallPerExpiry],
    bound: .seconds(120))
}
