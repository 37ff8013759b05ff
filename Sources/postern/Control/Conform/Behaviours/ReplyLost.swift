import GatewayKit

extension Behaviour {
  static let replyLost = replyFails(
    "reply-lost", covers: ["R2"],
    sentence: "The client keeps its login, and refreshes the next time, if the reply to its refresh is lost.",
    fault: "drop")

  /// Returns a behaviour in which `fault` affects the reply to a refresh, and another refresh follows.
  static func replyFails(
    _ name: String, covers: [String], sentence: String, fault: String, members: [JSONMember] = [],
    ofBuiltIn: String? = nil
  ) -> Behaviour {
    Behaviour(
      name: name, covers: covers, sentence: sentence, settings: impatient, ofBuiltIn: ofBuiltIn,
      script: { scene in
        try await scene.seeLogin()
        try await scene.fail(fault, [JSONMember("what", "reply:refresh")] + members, times: 1)
        try await scene.expire()
        let first = try await scene.see("refreshed", or: "the client was not refreshed within 15 s")
        try await scene.pass(.seconds(1))
        try await scene.expire()
        try await scene.see(
          "refreshed", after: first, or: "the client was not refreshed again within 15 s of the next request")
      },
      expected: [.refreshedInTime, .oneProviderCallPerExpiry, .singleFlight, .stopsAfter(2, quiet: .seconds(1))])
  }
}
