import GatewayKit

extension Behaviour {
  static let refreshAtLead = Behaviour(
    name: "refresh-at-lead", covers: ["E1"],
    sentence: "The client sends a new token, and keeps its connection, when it is asked 30 s before expiry.",
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
