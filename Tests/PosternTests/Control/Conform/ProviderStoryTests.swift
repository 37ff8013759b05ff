import Testing

@testable import postern

struct ProviderStoryTests {
  @Test(
    arguments: [
      ([], "its provider was not asked after line 9: look at what sets the client's request for a token off"),
      (
        ["provider_asked", "provider_failed"],
        "after line 9 its provider was asked once, failed once and gave 0 tokens, last in line 11: "
          + "look at what the client does when its request for a token fails"
      ),
      (
        [
          "provider_asked", "provider_refused", "provider_asked", "provider_failed", "provider_asked",
          "provider_minted",
        ],
        "after line 9 its provider was asked 3 times, failed twice and gave 1 token, last in line 15: "
          + "look at what the client does with the token that it was given"
      ),
      (
        ["provider_asked"],
        "after line 9 its provider was asked once, failed 0 times and gave 0 tokens, last in line 10, "
          + "which has no answer: look at how long the client waits for one"
      ),
    ] as [([String], String)])
  func `the story of a failed run tells the requests to the provider, its answers, and what to look at`(
    kinds: [String], text: String
  ) {
    let lines = kinds.enumerated().map { ProviderStory.Line(number: 10 + $0, kind: $1) }
    #expect(ProviderStory(beginning: 9, lines: lines).text == text)
  }
}
