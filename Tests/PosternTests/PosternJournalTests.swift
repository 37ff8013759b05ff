import PosternTesting
import Testing

@Suite("What a test says of the client in its process", .timeLimit(.minutes(1)))
struct PosternJournalTests {
  @Test("throws what is not passed, with the verdict and the sentence")
  func expectation() async throws {
    let gateway = try await PosternGateway.start()
    let failure = await #expect(throws: PosternJournal.NotExpected.self) {
      try await gateway.journal.expect(.singleFlight, user: "ann")
    }
    #expect(failure?.verdict == "undecided" && failure?.sentence == "there was no provider call")
    #expect(
      failure?.description == "single_flight undecided: there was no provider call" && failure?.lines.isEmpty == true)
    await gateway.stop()
  }

  @Test(
    "returns the lines of what is passed, and throws those of what failed",
    .enabled(if: Subprocess.exists("curl"), "curl is not on this machine"))
  func verdicts() async throws {
    let gateway = try await PosternGateway.start()
    for _ in 0..<2 {
      _ = try Subprocess.run(
        "curl", "-sf", "--noproxy", "*", "\(gateway.httpURL)/v1/tokens", "-H", "content-type: application/json", "-d",
        #"{"user_id": "ann"}"#)
    }
    let lines = try await gateway.journal.expect(.singleFlight, user: "ann")
    #expect(lines.map(\.kind) == [.providerAsked, .providerAsked])
    let failure = await #expect(throws: PosternJournal.NotExpected.self) {
      try await gateway.journal.expect(.stopsAfter(1, .provider, quiet: .zero))
    }
    #expect(failure?.verdict == "failed" && failure?.sentence == "2 provider calls, where 1 may be")
    #expect(failure?.lines.map(\.number) == lines.map(\.number))
    await gateway.stop()
  }
}
