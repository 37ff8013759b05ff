import Foundation
import FoundationNetworking
import PosternSwiftTesting
import PosternTesting
import Synchronization
import Testing

@Suite(.postern(refreshTimeout: .seconds(7)))
struct PosternTraitTests {
  private static let urls = Mutex<Set<String>>([])

  @Test(arguments: 1...3)
  func `the gateway trait gives each test case a gateway of its own, with its options`(number: Int) async throws {
    let gateway = try PosternGateway.current
    let isNew = Self.urls.withLock { $0.insert(gateway.url).inserted }
    #expect(isNew)
    let (data, _) = try await URLSession.shared.data(from: try #require(URL(string: gateway.controlURL + "/settings")))
    #expect(String(decoding: data, as: UTF8.self).contains(#""refresh_timeout_s":7"#))
  }

  @Test(.postern(isFrozen: true))
  func `a test's own options override the suite's, and its gateway ends with the test`() async throws {
    let gateway = try PosternGateway.current
    let age = await gateway.age()
    #expect(try await gateway.advance(by: .seconds(86_400)).moved == .seconds(86_400))
    #expect(await gateway.age() - age == .seconds(86_400))
    await gateway.stop()
    await #expect(throws: PosternGateway.NotAdvanced.self) { try await gateway.advance(by: .seconds(1)) }
    #expect(await gateway.expire(user: "ann") == 0)
  }

  @Test(arguments: [true, false])
  func `the gateway trait shows the journal of a test that fails, by an issue or an error`(throwing: Bool) async throws
  {
    let said = Mutex<[String]>([])
    let test = try #require(Test.current)
    let hear = IssueHandlingTrait.compactMapIssues { issue in
      said.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
      return nil
    }
    try await hear.provideScope(for: test, testCase: Test.Case.current) {
      do {
        try await PosternTrait().provideScope(for: test, testCase: Test.Case.current) {
          try await Self.mint()
          if throwing { throw CocoaError(.featureUnsupported) }
          Issue.record("the client refreshed twice")
        }
      } catch {
        #expect(throwing && error is CocoaError)
      }
    }
    #expect(said.withLock { $0.count } == (throwing ? 1 : 2))
    let journal = said.withLock { $0.first { $0.contains("provider_minted") } }
    #expect(journal?.contains(" s  http_answered      route=POST /v1/tokens status=200") == true)
    #expect(journal?.contains("eyJ") == false)
  }

  /// Makes the gateway write a line into its journal.
  private static func mint() async throws {
    let gateway = try PosternGateway.current
    var request = URLRequest(url: try #require(URL(string: gateway.httpURL + "/v1/tokens")))
    request.httpMethod = "POST"
    request.httpBody = Data(#"{"user_id":"ann"}"#.utf8)
    _ = try await URLSession.shared.data(for: request)
    try await gateway.journal.wait(for: .httpAnswered, within: .seconds(60))
  }

  @Test
  func `the gateway trait leaves a test that passes alone`() async throws {
    let test = try #require(Test.current)
    try await PosternTrait().provideScope(for: test, testCase: Test.Case.current) {
      let url = try PosternGateway.current.url
      #expect(url.hasPrefix("ws://"))
    }
  }

  @Test
  func `a test without the gateway trait is told that it has no gateway`() async throws {
    let url = try PosternGateway.current.url
    await #expect(throws: PosternGateway.NoGateway.self) {
      // A detached task has no current test.
      try await Self.detached()
    }
    #expect(url.hasPrefix("ws://"))
  }

  private static func detached() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue.global().async {
        continuation.resume(with: Result { _ = try PosternGateway.current })
      }
    }
  }
}
