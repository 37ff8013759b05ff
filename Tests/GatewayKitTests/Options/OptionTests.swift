import Testing

@testable import GatewayKit

struct OptionTests {
  private struct Draft: Sendable {
    var port = 8080
    var life: Sourced<Duration>?
    var isQuiet: Sourced<Bool>?
    var hosts: [Arguments.Value] = []
  }

  private static let port = Option<Draft>("port", "N", "a port", \.port, .int(0...65535))

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    port
    Option("life", "DURATION", "a life", \.life, Reading<Duration>.duration.sourced)
    Option("quiet", "a switch", \.isQuiet)
    Option("host", "ADDRESS", "hosts", each: \.hosts)
  }

  private static func arguments(_ given: [String: [(text: String, source: String)]]) -> Arguments {
    var arguments = Arguments(flags: options.map(\.flag))
    arguments.given = given.mapValues { $0.map { Arguments.Value(text: $0.text, source: $0.source) } }
    return arguments
  }

  private static func draft(_ given: [String: [(text: String, source: String)]]) throws -> Draft {
    var draft = Draft()
    try arguments(given).read(options, into: &draft)
    return draft
  }

  @Test
  func `flags that are not given leave the draft as it is`() throws {
    let draft = try Self.draft([:])
    #expect(draft.port == 8080 && draft.life == nil && draft.isQuiet == nil && draft.hosts.isEmpty)
  }

  @Test
  func `a sourced value and a sourced switch keep the source that the user wrote`() throws {
    let draft = try Self.draft(["life": [("90s", "POSTERN_LIFE")], "quiet": [("no", "a.json:1:3: quiet")]])
    #expect(draft.life?.value == .seconds(90) && draft.life?.source == "POSTERN_LIFE")
    #expect(draft.isQuiet?.value == false && draft.isQuiet?.source == "a.json:1:3: quiet")
  }

  @Test
  func `the last value of a flag counts, and a repeated flag keeps each of its values`() throws {
    let draft = try Self.draft([
      "port": [("1", "--port"), ("2", "--port")], "host": [("a", "--host"), ("b", "--host")],
    ])
    #expect(draft.port == 2 && draft.hosts.map(\.text) == ["a", "b"])
  }

  @Test
  func `a wrong value is refused under its source`() {
    #expect(throws: UsageError("POSTERN_PORT: 'x' is wrong; expected a whole number from 0 to 65535")) {
      try Self.draft(["port": [("x", "POSTERN_PORT")]])
    }
  }

  @Test
  func `a flag's values are asked for by its option`() {
    let arguments = Self.arguments(["port": [("1", "--port")]])
    #expect(arguments.values(of: Self.port).map(\.text) == ["1"])
    #expect(Self.arguments([:]).values(of: Self.port).isEmpty)
  }
}
