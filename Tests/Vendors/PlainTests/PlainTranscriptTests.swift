import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayPlain

struct PlainTranscriptTests {
  @Test(arguments: ["login-refresh-close", "never-logs-in", "refused-logins", "operator"])
  func `a connection sends, byte for byte, what its transcript says`(name: String) throws {
    let lines = try Transcript.lines(name)
    #expect(lines.contains { $0.hasPrefix("<") } && lines.contains { $0.hasPrefix(">") })
    var transcript = Transcript()
    for line in lines where !line.hasPrefix("<") && !line.hasPrefix("x") { try transcript.play(line) }
    for (index, line) in transcript.said.enumerated() { #expect(line == (index < lines.count ? lines[index] : "")) }
    #expect(transcript.said.count == lines.count)
  }

  @Test(.long)
  func `no token of a transcript is shown, and everything else is`() throws {
    let names = ["login-refresh-close", "never-logs-in", "refused-logins", "operator", "call-events"]
    let lines = try names.flatMap { try Transcript.lines($0) }.filter { $0.hasPrefix("> ") || $0.hasPrefix("< ") }
    try MarkedMessages.check(lines.map { String($0.dropFirst(2)) }, secrets: "token", by: PlainDialect())
  }

  @Test
  func `a call's members are told what its transcript says`() throws {
    let lines = try Transcript.lines("call-events")
    #expect(lines.count == 10)
    for (given, expected) in zip(lines, lines.dropFirst()) where expected.hasPrefix("<") {
      let words = given.split(separator: " ", maxSplits: 3).map(String.init)
      let kind: CallEvent.Kind =
        switch words[0] {
        case "member_joined": .memberJoined
        case "member_left": .memberLeft
        case "members_changed": .crowdChanged(members: Int(words[3])!)
        default: .message(content: words[3])
        }
      let event = CallEvent(call: CallID(cid: words[1])!, user: UserID(words[2]), kind: kind)
      #expect(PlainDialect().encode(event).map { "< \($0.text)" } == expected)
    }
  }
}
