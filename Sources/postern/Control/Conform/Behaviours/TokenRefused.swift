import GatewayKit

extension Behaviour {
  static let tokenRefused = Behaviour(
    name: "token-refused", covers: ["R6"],
    sentence: "The client does not present one new token after the other if all are refused.",
    settings: impatient, meanings: [.badTokenIsNotFinal],
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail(
        "refuse_token", [JSONMember("error", "audience_mismatch"), JSONMember("of", "refresh")])
      try await scene.expire()
      try await scene.see("refresh_refused", or: "the client did not present a token")
    },
    // A token for each of three refreshes and four connections: calls at once may come one after the other on a slow machine.
    expected: [
      .stopsAfter(3, "refresh", quiet: .seconds(8)), .stopsAfter(4, quiet: .seconds(8)),
      .stopsAfter(7, "provider", quiet: .seconds(8)), .singleFlight,
    ],
    patience: .seconds(30), bound: .seconds(90))
}
