import GatewayKit

extension Behaviour {
  static let sameToken = Behaviour(
    name: "same-token", covers: ["R5"],
    sentence: "The client does not loop if its provider keeps returning the same expired token.",
    settings: impatient,
    // Some SDKs of such wires retry forever, with growing waits.
    returning: Returning(
      script: { scene in
        let first = try await scene.seeLogin()
        try await scene.fail("mint_same")
        try await scene.expire()
        try await scene.seeRefusal(after: first, or: "the client did not come back with the token that it was given")
        try await scene.pass(.seconds(10))
      },
      expected: boundedTries),
    timed: Timed(
      script: { scene in
        let first = try await scene.seeLogin()
        try await scene.fail("mint_same")
        try await scene.expire()
        try await scene.seeTokenRefused(after: first, or: "the client did not present the token that it was given")
        try await scene.pass(.seconds(10))
      },
      expected: boundedTries),
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("mint_same")
      try await scene.expire()
      try await scene.see("refresh_refused", or: "the client did not present the token that it was given")
    },
    expected: [
      .stopsAfter(6, "provider", quiet: .seconds(10)), .stopsAfter(4, "refresh", quiet: .seconds(10)),
      .stopsAfter(4, quiet: .seconds(10)),
    ],
    patience: .seconds(40), bound: .seconds(120))

  private static let boundedTries: [Demand] = [
    .stopsAfter(12, "provider", quiet: .zero), .stopsAfter(12, quiet: .zero),
  ]
}
