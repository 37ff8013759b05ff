import GatewayKit

extension Behaviour {
  static let revokedAndClosed = Behaviour(
    name: "revoked-and-closed", covers: ["V1", "V2"],
    sentence:
      "The client comes back with another token after a close because its own was revoked, and does not keep trying the old one.",
    settings: [JSONMember("revocation", "close")],
    script: { scene in
      try await scene.seeLogin()
      try await scene.revoke()
    },
    expected: [.comesBack(within: .seconds(15), newToken: true), .stopsTrying(quiet: .seconds(2)), .singleFlight],
    patience: .seconds(20))
}
