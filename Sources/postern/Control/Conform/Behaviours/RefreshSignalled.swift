import GatewayKit

extension Behaviour {
  static let refreshSignalled = Behaviour(
    name: "refresh-signalled", covers: ["S4", "S5"],
    sentence:
      "The client comes back if a refresh is refused by a close frame alone, or by no close frame.",
    settings: impatient,
    ofBuiltIn: "it fails by messages of a built-in dialect",
    script: { scene in
      var last = try await scene.seeLogin()
      for way in ["S4", "S5"] {
        try await scene.fail(
          "signal",
          [
            JSONMember("failure", "token_expired"), JSONMember("as", way), JSONMember("of", "refresh"),
          ] + (way == "S4" ? [JSONMember("code", json: "4000")] : []),
          times: 1)
        try await scene.expire()
        last = try await scene.see("refresh_refused", after: last, or: "the client did not present a token")
        last = try await scene.see(
          "logged_in", after: last, within: .seconds(20), or: "the client did not come back within 20 s of \(way)")
      }
    },
    expected: [.singleFlight], bound: .seconds(90), presentsTokens: true)
}
