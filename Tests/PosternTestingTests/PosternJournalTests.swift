import Foundation
import FoundationNetworking
import PosternTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct PosternJournalTests {
  @Test
  func `an expectation that fails throws, with the verdict and the sentence`() async throws {
    let gateway = try await PosternGateway.start()
    let failure = await #expect(throws: PosternJournal.NotExpected.self) {
      try await gateway.journal.expect(.singleFlight, user: "ann", within: .milliseconds(100))
    }
    #expect(failure?.verdict == "undecided" && failure?.sentence == "there was no provider call")
    #expect(
      failure?.description == "single_flight undecided: there was no provider call" && failure?.lines.isEmpty == true)
    await gateway.stop()
  }

  @Test
  func `an expectation that passes returns its lines, and one that fails throws an error with its lines`() async throws
  {
    let gateway = try await PosternGateway.start()
    try await askForToken(gateway)
    let lines = try await gateway.journal.expect(.singleFlight, user: "ann")
    #expect(lines.map(\.kind) == [.providerAsked])
    try await askForToken(gateway)
    let failure = await #expect(throws: PosternJournal.NotExpected.self) {
      try await gateway.journal.expect(.stopsAfter(0, .provider, quiet: .zero))
    }
    #expect(failure?.verdict == "failed" && failure?.sentence == "2 provider calls, where 0 may be")
    #expect(failure?.lines.count == 2)
    #expect(failure?.lines.first?.number == lines.first?.number)
    await gateway.stop()
  }

  @Test(arguments: [false, true])
  func `an undecided expectation is waited for, whether the gateway's time passes or is frozen`(isFrozen: Bool)
    async throws
  {
    var options = PosternGateway.Options()
    options.isFrozen = isFrozen
    let gateway = try await PosternGateway.start(options)
    let journal = gateway.journal
    async let proof = journal.expect(.singleFlight, user: "ann", within: .seconds(30))
    // So that it has begun to wait.
    _ = try? await journal.wait(for: .refreshed, within: .milliseconds(120))
    try await askForToken(gateway)
    #expect(try await proof.map(\.kind) == [.providerAsked])
    await gateway.stop()
  }

  @Test
  func `a wait for a verdict ends with its timeout, with its task, and with the gateway`() async throws {
    let gateway = try await PosternGateway.start()
    let journal = gateway.journal
    let isUndecided = { @Sendable (limit: Duration) in
      do {
        try await journal.expect(.singleFlight, user: "ann", within: limit)
        return false
      } catch {
        return (error as? PosternJournal.NotExpected)?.verdict == "undecided"
      }
    }
    for short in [Duration.seconds(-1), .zero, .milliseconds(1)] { #expect(await isUndecided(short)) }
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await isUndecided(.seconds(Int64.max)) }
      group.cancelAll()
      for await answer in group { #expect(answer) }
    }
    async let answer = isUndecided(.seconds(Int64.max))
    await gateway.stop()
    #expect(await answer)
  }

  private func askForToken(_ gateway: PosternGateway) async throws {
    var request = URLRequest(url: try #require(URL(string: "\(gateway.httpURL)/v1/tokens")))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "content-type")
    request.httpBody = Data(#"{"user_id": "ann"}"#.utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
  }
}
