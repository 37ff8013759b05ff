extension Behaviour {
  static let refreshAtExpiry = Behaviour(
    name: "refresh-at-expiry", covers: ["E2", "E10"],
    sentence:
      "Asked for another token only when the old one has ended, the client brings one, and keeps its connection.",
    settings: impatient,
    script: { scene in
      try await scene.seeLogin()
      try await scene.expire()
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
