import GatewayKit

extension Behaviour {
  static let refreshAllDay = Behaviour(
    name: "refresh-all-day", covers: ["E1", "X11"],
    sentence: "Over a day the client refreshes again and again, once for each token, on one connection.",
    settings: [JSONMember("token-life", "1h")], isFrozen: true,
    script: { scene in
      try await scene.seeLogin()
      try await scene.advance(by: .seconds(86_400))
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
