import GatewayCore
import GatewayJSON
import GatewayKit

extension ConformScene {
  /// Does something that needs a token of the provider's. If the client fails at it, the sentence goes on with what was asked of
  /// the provider behind line `after`, and what came.
  ///
  /// - Parameter after: The number of the journal's line where the token was wanted.
  @discardableResult
  func needingProvider<Answer: Sendable>(
    after: Int, _ body: nonisolated(nonsending) () async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await body()
    } catch let end as ConformEnd where end.verdict == .failed {
      let story = try await providerStory(after: after)
      throw ConformEnd(verdict: .failed, sentence: "\(end.sentence); \(story.text)")
    }
  }

  private func providerStory(after: Int) async throws -> ProviderStory {
    struct Page: Decodable {
      struct Line: Decodable {
        let n: Int
        let kind: String
      }
      let lines: [Line]
    }
    let query = [
      HTTPField("kind", ProviderStory.kinds.joined(separator: ",")), HTTPField("user", user),
      HTTPField("after", String(after)), HTTPField("limit", "1000"),
    ]
    let page = try JSONCoder().decode(Page.self, from: try await send("GET", "/journal", query: query).data)
    return ProviderStory(beginning: after, lines: page.lines.map { .init(number: $0.n, kind: $0.kind) })
  }
}
