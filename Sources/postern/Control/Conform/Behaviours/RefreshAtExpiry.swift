extension Behaviour {
  static let refreshAtExpiry = Behaviour(
    name: "refresh-at-expiry", covers: ["E2", "E10"],
    sentence:
      "The client sends a new token, and keeps its connection, when it is asked only at expiry.",
    settings: impatient, returning: Returning(expected: renewedByReturning),
    timed: Timed(expected: renewedOnTimer),
    script: { scene in
      try await scene.seeLogin()
      try await scene.expire()
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])

  /// The demands on a client that renews on its own timer.
  static let renewedOnTimer: [Demand] = [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight]

  /// The demands where the gateway closes instead of asking, and the client reconnects with one new token.
  static let renewedByReturning: [Demand] = [
    .comesBack(within: .seconds(20), newToken: true), .oneProviderCallPerExpiry, .singleFlight,
  ]
}
