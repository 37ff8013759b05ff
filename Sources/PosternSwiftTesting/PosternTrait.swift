public import PosternTesting
internal import Synchronization
public import Testing

/// A trait of Swift Testing that gives each test its own gateway, or each test of a suite: `@Suite(.postern(refreshTimeout:
/// .seconds(2)))`.
///
/// ```swift
/// @Test(.postern) func refreshesOnce() async throws {
///   let gateway = try PosternGateway.current
///   …
/// }
/// ```
///
/// The gateway ends with the test; each case of a parameterised test counts as a test. If the test fails, the last lines of
/// the gateway's journal are recorded as a warning, and all lines as an attachment, `postern-journal.jsonl`. If a suite and
/// its test both have the trait, the test's own is used.
public struct PosternTrait: TestTrait, SuiteTrait, TestScoping {
  /// The options of the gateway.
  public let options: PosternGateway.Options

  /// Creates a trait whose gateways have these options.
  public init(_ options: PosternGateway.Options = PosternGateway.Options()) {
    self.options = options
  }

  /// True: each test of a suite has its own gateway.
  public var isRecursive: Bool { true }

  /// Runs the test with a gateway, which `PosternGateway.current` returns during the test.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let gateway = try await PosternGateway.start(options)
    let failure = Failure()
    do {
      try await PosternGateway.$ofTest.withValue(gateway) {
        // Every issue passes through here unchanged.
        let watch = IssueHandlingTrait.compactMapIssues { issue in
          if issue.isFailure { failure.note(issue.sourceLocation) }
          return issue
        }
        try await watch.provideScope(for: test, testCase: testCase, performing: function)
      }
    } catch {
      await Self.record(gateway.journal, at: failure.location ?? test.sourceLocation)
      await gateway.stop()
      throw error
    }
    if failure.isThere { await Self.record(gateway.journal, at: failure.location ?? test.sourceLocation) }
    await gateway.stop()
  }

  private static let linesShown = 30

  private static func record(_ journal: PosternJournal, at location: SourceLocation) async {
    Issue.record(
      "the gateway's journal, its last lines:\n\(await journal.text(last: linesShown))", severity: .warning,
      sourceLocation: location)
    let lines = await journal.lines(payloads: true, limit: .max).map { "\($0)\n" }.joined()
    Attachment.record(lines, named: "postern-journal.jsonl", sourceLocation: location)
  }
}

/// The state whether a test has failed, with the first source location of a failure.
private final class Failure: Sendable {
  private let state = Mutex<(isThere: Bool, location: SourceLocation?)>((false, nil))

  var isThere: Bool { state.withLock { $0.isThere } }
  var location: SourceLocation? { state.withLock { $0.location } }

  func note(_ location: SourceLocation?) {
    state.withLock { $0 = (true, $0.location ?? location) }
  }
}
