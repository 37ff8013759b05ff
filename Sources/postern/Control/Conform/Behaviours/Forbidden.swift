import GatewayCore
import GatewayKit

extension Behaviour {
  static let forbidden = Behaviour(
    name: "forbidden", covers: ["S2"],
    sentence: "The client stays away after its upgrade was refused with 403.",
    needsStatus: true, meanings: [.status(403, .giveUp)],
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("refuse_upgrade", [JSONMember("status", json: "403")])
      try await scene.disconnect(1012, "restart")
      try await scene.see("upgrade_refused", or: "the client did not try to come back")
    },
    expected: [.noAttemptAfterTerminal(quiet: .seconds(5))])
}
