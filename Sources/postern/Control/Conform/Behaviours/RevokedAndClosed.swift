import GatewayKit

extension Behaviour {
  static let revokedAndClosed = Behaviour(
    name: "revoked-and-closed", covers: ["V1", "V2"],
    sentence:
      "Closed since its token was revoked, the client comes back with another, without trying the old one on and on.",
    settings: [JSONMember("revocation", "close")],
    script: { scene in
      try await scene.seeLogin()
      try await scene.revoke()
    },
    expected: [.comesBack(within: .seconds(15), newToken: true), .stopsTrying(quiet: .seconds(2)), .singleFlight],
    patience: .seconds(20))
}
