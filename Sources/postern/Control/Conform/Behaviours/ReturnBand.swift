import GatewayKit

extension Behaviour {
  static let returnBand = Behaviour(
    name: "return-band", covers: ["S7"],
    sentence:
      "The client tries again, after waits with jitter, if it is always refused with a code that means come back.",
    ofBuiltIn: "its close codes mean something on built-in dialects only",
    script: { scene in
      var last = try await scene.seeLogin()
      for _ in 0..<10 {
        try await scene.pass(.milliseconds(500))
        try await scene.fail("signal", [JSONMember("failure", "token_expired"), JSONMember("as", "S7")], times: 1)
        try await scene.disconnect(1012, "restart")
        last = try await scene.see(
          "login_refused", after: last, within: .seconds(20), or: "the client did not come back within 20 s")
        last = try await scene.see(
          "logged_in", after: last, within: .seconds(20), or: "the client did not try again within 20 s")
      }
    },
    expected: [.backoffHasJitter], bound: .seconds(240))
}
