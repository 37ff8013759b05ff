import GatewayCore
import GatewayKit

extension Behaviour {
  static let wrongFamily = Behaviour(
    name: "wrong-family", covers: ["S6"],
    sentence: "The client tries again, and not without end, after a refusal with 1011, which is not about tokens.",
    settings: impatient, meanings: [.close(1011, .retry)],
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail("signal", [JSONMember("failure", "token_expired"), JSONMember("as", "S6")], times: 1)
      try await scene.disconnect(1012, "restart")
      let refused = try await scene.see("login_refused", after: first, or: "the client did not try to come back")
      try await scene.see("logged_in", after: refused, within: .seconds(20), or: "the client did not try again in 20 s")
    },
    expected: [.comesBack(within: .seconds(20)), .stopsAfter(4, quiet: .seconds(2))])
}
