import GatewayKit

extension Behaviour {
  static let refreshAtLead = Behaviour(
    name: "refresh-at-lead", covers: ["E1"],
    sentence: "Asked for another token 30 s before the old one ends, the client brings one, and keeps its connection.",
    settings: [JSONMember("refresh-lead", "30s")], isFrozen: true,
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.advance(by: .seconds(3_575))
      _ = try await scene.line("refreshed", after: first, within: .seconds(15))
      // A client that has not answered by the timeout is cut off.
      try await scene.advance(by: .seconds(60), patience: .zero)
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
