import GatewayKit

extension Behaviour {
  static let refusedInWords = Behaviour(
    name: "refused-in-words", covers: ["S3"],
    sentence:
      "The client does not loop if a message after its login, and then a close frame, say that its token has expired.",
    ofBuiltIn: "it fails by messages of a built-in dialect",
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail("signal", [JSONMember("failure", "token_expired"), JSONMember("as", "S3")], times: 1)
      try await scene.disconnect(1012, "restart")
      try await scene.see("login_refused", after: first, or: "the client did not try to come back")
      // The client may get one new token and try once more, or stay away if the code says so.
    },
    expected: [.stopsAfter(4, quiet: .seconds(4))])
}
