import GatewayKit

extension Behaviour {
  static let expiredInRequest = Behaviour(
    name: "expired-in-request", covers: ["E5", "T11"],
    sentence:
      "The client renews its token, and does not keep repeating its request, if the token expires before the answer.",
    settings: impatient,
    script: { scene in
      // Drops the answer to the client's request, be it a result or an error.
      var lost: [UInt32] = []
      for what in ["vendor", "error"] {
        lost.append(try await scene.fail("drop", [JSONMember("what", what)], times: 1))
      }
      try await scene.seeLogin()
      guard try await scene.line("faulted", within: .seconds(10)) != nil else {
        throw ConformEnd(
          verdict: .undecided,
          sentence: "the client asked its connection for nothing in 10 s; one that does can be judged")
      }
      for number in lost { try await scene.mend(number) }
      try await scene.expire()
      try await scene.see("refreshed", or: "the client was not refreshed within 15 s, with a request under way")
    },
    expected: [
      .refreshedInTime, .keepsConnection, .singleFlight, .stopsAfter(10, "command", quiet: .seconds(2)),
    ])
}
