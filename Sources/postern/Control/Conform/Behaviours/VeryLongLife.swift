extension Behaviour {
  static let veryLongLife = Behaviour(
    name: "very-long-life", covers: ["E9"],
    sentence: "A token that lives for nine years is not refreshed at once, but when it is asked for.",
    settings: impatient, token: .living(.seconds(9 * 365 * 86_400)),
    timed: Timed(
      script: { scene in
        try await scene.seeLogin()
        try await scene.pass(.seconds(5))
      }, isShort: false, expected: [.stopsAfter(1, "provider", quiet: .seconds(2)), .stopsAfter(1, quiet: .seconds(2))]),
    script: { scene in
      try await scene.seeLogin()
      try await scene.pass(.seconds(2))
      try await scene.expire()
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry])
}
