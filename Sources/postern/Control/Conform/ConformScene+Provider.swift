import GatewayCore
import GatewayJSON
import GatewayKit

extension ConformScene {
  /// Runs `body`, which needs a token of the provider. If the client fails, the error's sentence also tells the provider's
  /// calls and answers after line `after`.
  ///
  /// - Parameter after: The number of the journal's line at which the token was needed.
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
      HTTPField("kind", ProviderStory.kinds.joined(separator: ",")), HTTPField("after", String(after)),
      HTTPField("limit", "1000"),
    ]
    let whose = user.map { [HTTPField("user", $0)] } ?? []
    let page = try JSONCoder().decode(Page.self, from: try await send(.get("/journal", query: query + whose)).data)
    return ProviderStory(beginning: after, lines: page.lines.map { .init(number: $0.n, kind: $0.kind) })
  }
}
