import GatewayKit

extension Behaviour {
  static let expiredToken = badToken(
    "expired-token", covers: ["P5"], fault: "mint_expired",
    sentence: "When its provider gives it a token that has expired the client gets another, and does not loop.")

  /// Returns a behaviour in which the provider returns one unusable token, and valid ones after it.
  static func badToken(_ name: String, covers: [String], fault: String, members: [JSONMember] = [], sentence: String)
    -> Behaviour
  {
    Behaviour(
      name: name, covers: covers, sentence: sentence, settings: impatient,
      script: { scene in
        let first = try await scene.seeLogin()
        try await scene.fail(fault, members, times: 1)
        try await scene.expire()
        // The client may renew at once, or on another connection.
        try await scene.needingProvider(after: first) {
          try await scene.seeRenewal(
            after: first, within: .seconds(22),
            or: "the client was neither refreshed nor came back with a good token within 22 s")
        }
      },
      expected: [
        .stopsAfter(3, "provider", quiet: .seconds(2)), .stopsTrying(quiet: .seconds(2)), .singleFlight,
      ])
  }
}
