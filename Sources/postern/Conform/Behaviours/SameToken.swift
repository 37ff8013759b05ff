import GatewayKit

extension Behaviour {
  static let sameToken = Behaviour(
    name: "same-token", covers: ["R5"],
    sentence: "A provider that gives the same token again and again, which has ended, does not make the client loop.",
    settings: impatient,
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
}
