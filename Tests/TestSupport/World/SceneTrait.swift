package import Testing

/// Runs every scene of a suite twice: with one gateway, and again with two gateways of one store, over which its clients and
/// requests are spread. ``SingleScenes`` are run once.
package struct SceneTrait: TestTrait, SuiteTrait, TestScoping {
  package let isRecursive = true

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  @concurrent package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await function()
    guard SingleScenes.reasons[test.displayName ?? test.name] == nil else { return }
    let says = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      issue.comments.append("\(TestPlace.cluster)")
      return issue
    }
    try await TestPlace.$ofScenes.withValue(.cluster) {
      try await says.provideScope(for: test, testCase: testCase, performing: function)
    }
  }
}

extension Trait where Self == SceneTrait {
  /// Runs every scene with one gateway, and again on two nodes.
  package static var onNodes: SceneTrait { SceneTrait() }
}
