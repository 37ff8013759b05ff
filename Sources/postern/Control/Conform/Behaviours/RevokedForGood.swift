import GatewayKit

extension Behaviour {
  static let revokedForGood = Behaviour(
    name: "revoked-for-good", covers: ["V1", "V2", "X13"],
    sentence: "The client gives up if the gateway refuses every token that it can get.",
    settings: [JSONMember("revocation", "close")],
    ofBuiltIn: "its clients come back for as long as the gateway tells them to bring a new token",
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.revoke(ahead: .seconds(3_600))
      try await scene.seeRefusal(after: first, or: "the client did not try to come back")
    },
    // Some SDKs retry every five seconds, and sometimes after longer waits.
    expected: [.stopsAfter(4, quiet: .seconds(20))], patience: .seconds(45), bound: .seconds(90))
}
