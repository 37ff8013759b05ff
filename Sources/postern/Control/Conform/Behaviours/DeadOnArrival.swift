import GatewayKit

extension Behaviour {
  static let deadOnArrival = Behaviour(
    name: "dead-on-arrival", covers: ["E4"],
    sentence:
      "The client gets one new token and tries once more if its token expired before it was used.",
    token: .expired,
    // A client that starts at its provider gets an expired token there.
    prelude: { scene in try await scene.fail("mint_expired", times: 1) },
    script: { scene in
      try await scene.seeRefusal(or: "the client did not connect with the token that it was given")
      try await scene.seeLogin()
    },
    expected: [
      .stopsAfter(2, quiet: .seconds(2)), .stopsAfter(1, "provider", quiet: .seconds(2)), .singleFlight,
    ])
}
