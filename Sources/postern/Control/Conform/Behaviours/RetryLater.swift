import GatewayCore
import GatewayKit

extension Behaviour {
  static let retryLater = Behaviour(
    name: "retry-later", covers: ["S9", "X8"],
    sentence: "The client comes back after a refusal with 503, no sooner than Retry-After.",
    needsStatus: true, meanings: [.status(503, .retry)],
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail(
        "refuse_upgrade", [JSONMember("status", json: "503"), JSONMember("retry_after_s", json: "3")], times: 2)
      try await scene.disconnect(1012, "restart")
      try await scene.see(
        "logged_in", count: 2, within: .seconds(60), or: "the client did not come back within 60 s")
    },
    expected: [.waitsAtLeast(.seconds(3), since: "upgrade_refused"), .comesBack(within: .seconds(60))],
    bound: .seconds(100))
}
