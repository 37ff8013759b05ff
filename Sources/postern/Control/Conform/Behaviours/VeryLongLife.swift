extension Behaviour {
  static let veryLongLife = Behaviour(
    name: "very-long-life", covers: ["E9"],
    sentence: "The client refreshes a token with a life of nine years when it is asked, and not at once.",
    settings: impatient, token: .living(.seconds(9 * 365 * 86_400)),
    timed: Timed(
      script: { scene in
        let loggedIn = try await scene.seeLogin()
        try await scene.pass(.seconds(5))
        guard try await scene.line("provider_asked", after: loggedIn, within: .zero) == nil else {
          throw ConformEnd(verdict: .failed, sentence: "the client asked for another token within 5 s of its login")
        }
      }, isShort: false, expected: [.stopsAfter(1, quiet: .seconds(2))]),
    script: { scene in
      try await scene.seeLogin()
      try await scene.pass(.seconds(2))
      try await scene.expire()
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry])
}
