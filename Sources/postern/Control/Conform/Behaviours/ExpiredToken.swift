import GatewayKit

extension Behaviour {
  static let expiredToken = badToken(
    "expired-token", covers: ["P5"], fault: "mint_expired", isAboutAge: true,
    sentence: "The client gets another token, and does not loop, if its provider returns an expired one.")

  /// Returns a behaviour in which the provider returns one unusable token, and valid ones after it.
  ///
  /// - Parameter isAboutAge: Whether the token has expired. Gateways of some wires refuse any other bad token for good.
  static func badToken(
    _ name: String, covers: [String], fault: String, members: [JSONMember] = [], isAboutAge: Bool = false,
    sentence: String
  ) -> Behaviour {
    let expected: [Demand] = [
      .stopsAfter(3, "provider", quiet: .seconds(2)), .stopsTrying(quiet: .seconds(2)), .singleFlight,
    ]
    return Behaviour(
      name: name, covers: covers, sentence: sentence, settings: impatient,
      meanings: isAboutAge ? [] : [.badTokenIsNotFinal], timed: Timed(expected: expected),
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
      expected: expected)
  }
}
