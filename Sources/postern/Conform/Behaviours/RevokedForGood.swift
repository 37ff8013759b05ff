import GatewayKit

extension Behaviour {
  static let revokedForGood = Behaviour(
    name: "revoked-for-good", covers: ["V1", "V2", "X13"],
    sentence: "Refused with every token that it can get, the client gives up in place of trying on and on.",
    settings: [JSONMember("revocation", "close")],
    script: { scene in
      try await scene.seeLogin()
      try await scene.revoke(ahead: .seconds(3_600))
      try await scene.seeRefusal(or: "the client did not try to come back")
    },
    expected: [.stopsAfter(4, quiet: .seconds(8))], patience: .seconds(30))
}
