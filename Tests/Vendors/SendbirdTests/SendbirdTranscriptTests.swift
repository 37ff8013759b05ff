import Foundation
import TestSupport
import Testing

@Suite("On Sendbird's wire")
struct SendbirdTranscriptTests {
  @Test(
    "a client hears, byte for byte, what its transcript says",
    arguments: [
      "reddit-chatbot", "javascript-4", "javascript-4-without-token", "javascript-3", "unity", "flutter",
    ])
  func transcripts(name: String) throws {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/sendbird/\(name)", withExtension: "txt"))
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.hasPrefix("# Source: "))
    let lines = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    #expect(lines.contains { $0.hasPrefix("<") })
    var transcript = try SendbirdTranscript()
    for line in lines where !line.hasPrefix("<") && !line.hasPrefix("x") { transcript.play(line) }
    for (index, line) in transcript.said.enumerated() { #expect(line == (index < lines.count ? lines[index] : "")) }
    #expect(transcript.said.count == lines.count)
  }
}
