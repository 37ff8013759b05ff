import GatewayCore
import GatewayKit

extension Behaviour {
  static let turnedAwayOnce = Behaviour(
    name: "turned-away-once", covers: ["S1", "E4"],
    sentence: "The client gets one new token, and tries once more, if it is refused with 401 when it comes back.",
    needsStatus: true, meanings: [.status(401, .renew)],
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("refuse_upgrade", [JSONMember("status", json: "401")], times: 1)
      try await scene.disconnect(1012, "restart")
      try await scene.see("upgrade_refused", or: "the client did not try to come back")
    },
    expected: [
      .comesBack(within: .seconds(15), newToken: true), .stopsTrying(quiet: .seconds(2)),
      .stopsAfter(1, "provider", quiet: .seconds(2)),
    ],
    patience: .seconds(20))
}
