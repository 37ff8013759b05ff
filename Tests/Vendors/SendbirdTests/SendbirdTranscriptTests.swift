import Foundation
import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdTranscriptTests {
  @Test(arguments: [
    "reddit-chatbot", "javascript-4", "javascript-4-without-token", "javascript-3", "unity", "flutter",
  ])
  func `a client receives, byte for byte, what its transcript says`(name: String) throws {
    let lines = try Self.lines(name)
    #expect(lines.contains { $0.hasPrefix("<") })
    var transcript = try SendbirdTranscript()
    for line in lines where !line.hasPrefix("<") && !line.hasPrefix("x") { transcript.play(line) }
    for (index, line) in transcript.said.enumerated() { #expect(line == (index < lines.count ? lines[index] : "")) }
    #expect(transcript.said.count == lines.count)
  }

  private static func lines(_ name: String) throws -> [String] {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/sendbird/\(name)", withExtension: "txt"))
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.hasPrefix("# Source: "))
    return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  @Test(.long)
  func `no token and no session key of a transcript is shown, and everything else is`() throws {
    let names = ["reddit-chatbot", "javascript-4", "javascript-4-without-token", "javascript-3", "unity", "flutter"]
    let said = try names.flatMap(Self.lines).filter { $0.hasPrefix("> ") || $0.hasPrefix("< ") }
      .map { String($0.dropFirst(2)) }.filter { $0.prefix { $0.isUppercase }.count == 4 }
    try MarkedMessages.check(
      said, secrets: "token|key|new_key|ekey|template_list_token",
      by: SendbirdDialect(SendbirdSettings(apiToken: Credentials(token: "secret"))),
      isWhole: { _ in true })
  }
}
