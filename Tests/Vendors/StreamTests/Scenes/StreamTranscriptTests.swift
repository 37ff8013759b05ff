import Foundation
import GatewayCore
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamTranscriptTests {
  @Test(arguments: [
    "getstream-6.1.1-expiry", "getstream-6.1.1-refused", "swift", "javascript-video", "javascript-chat", "android",
  ])
  func `a client receives, byte for byte, what its transcript says`(name: String) throws {
    let lines = try StreamTranscript.lines(name)
    var transcript = try StreamTranscript()
    for line in lines where !line.hasPrefix("<") && !line.hasPrefix("x") { try transcript.play(line) }
    transcript.listen()
    for (index, line) in transcript.said.enumerated() { #expect(line == (index < lines.count ? lines[index] : "")) }
    #expect(transcript.said.count == lines.count && lines.contains { $0.hasPrefix("<") })
  }

  @Test(.long)
  func `no token of a transcript is shown, and everything else is`() throws {
    let names = [
      "getstream-6.1.1-expiry", "getstream-6.1.1-refused", "swift", "javascript-video", "javascript-chat", "android",
    ]
    let said = try names.flatMap(StreamTranscript.lines).filter { $0.hasPrefix(">") || $0.hasPrefix("<") }
    try MarkedMessages.check(
      said.map { String($0.drop { $0 != " " }.dropFirst()).replacing("NANOSECONDS", with: "1") }, secrets: "token",
      by: StreamDialect(.video))
  }
}

/// A player of transcripts against a gateway in virtual time, which records its client's messages.
struct StreamTranscript {
  private let stream: SimulatedStream
  private var client: SimulatedPeer?
  private var heardCount = 0
  private(set) var said: [String] = []

  init() throws {
    stream = try SimulatedStream()
  }

  /// Returns the lines of a fixture without its comments.
  static func lines(_ name: String) throws -> [String] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "Fixtures/stream-video/\(name).txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init).filter {
      !$0.hasPrefix("#")
    }
  }

  /// Plays one line that the gateway does not cause.
  mutating func play(_ line: String) throws {
    listen()
    said.append(line)
    let text = mint(String(line.drop { $0 != " " }.dropFirst()))
    let mark = line.prefix { $0 != " " }
    switch mark {
    case "@": open(text)
    case ">": client?.say(text)
    case ">b": client?.say(Frame(.binary, Array(text.utf8)))
    case "ping": client?.ping()
    case "+": stream.world.advance(by: .seconds(try #require(Int(text.dropLast()))))
    default: Issue.record("no such line: \(line)")
    }
    stream.world.settle()
  }

  /// Replaces each `TOKEN(n)` by a token.
  private func mint(_ text: String) -> String {
    text.replacing(#/TOKEN\((-?\d+)\)/#) { match in
      stream.token(life: .seconds(Int(match.output.1) ?? 0))
    }
  }

  private mutating func open(_ target: String) {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let kind = StreamDialect.Kind.allCases.first { $0.path == parts[0] } ?? .video
    let query = parts[1].split(separator: "&").map { field in
      let pair = field.split(separator: "=", maxSplits: 1).map { PercentEncoding.decode($0) ?? "" }
      return HTTPField(pair[0], pair.count > 1 ? pair[1] : "")
    }
    client = stream.open(kind, query: query, key: nil)
    heardCount = 0
  }

  /// Records the messages since the last call, with placeholders for dates and connection ids.
  mutating func listen() {
    for (_, event) in client?.events.dropFirst(heardCount) ?? [] {
      heardCount += 1
      switch event {
      case .message(let frame): said.append("< \(Self.normalised(frame.text))")
      case .closed(let code, let name): said.append("x \(code.map(String.init) ?? "lost") \(name)")
      case .opened, .refused, .pong, .ping: break
      }
    }
  }

  private static func normalised(_ text: String) -> String {
    text.replacing(#/"(created_at|updated_at|last_active)":("[^"]*"|\d+)/#) { match in
      let isText = match.output.2.hasPrefix("\"")
      let isDate = !isText || StreamDates.read(String(match.output.2.dropFirst().dropLast())) != nil
      return "\"\(match.output.1)\":\(isText ? "\"RFC3339\"" : "NANOSECONDS")\(isDate ? "" : " which is no date")"
    }.replacing(#/"connection_id":"([0-9a-f-]{36})"/#) { _ in #""connection_id":"ID""# }
  }
}
