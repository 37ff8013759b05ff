import GatewayKit
import Testing

@testable import postern

@Suite("Suggestions")
struct SuggestionTests {
  @Test(
    "are names with a slip or a part of them",
    arguments: [
      ("prot", ["port"]), ("prt", ["port"]), ("porrt", ["port"]), ("pert", ["port"]), ("PORT", ["port"]),
      ("refresh_timeout", ["refresh-timeout"]), ("refresh-timeuot", ["refresh-timeout"]), ("por", ["port"]),
      ("timeout", ["login-timeout", "refresh-timeout"]), ("refresh", ["refresh-lead", "refresh-timeout"]),
      ("x", []), ("", []), ("zebra", []), ("po", []), ("hots", ["host"]),
    ])
  func near(word: String, expected: [String]) {
    let names = ["port", "host", "login-timeout", "refresh-timeout", "refresh-lead", "echo", "proxy-protocol"]
    #expect(Suggestion.near(word, among: names) == expected)
  }

  @Test("are three at most, the nearest first")
  func few() {
    #expect(
      Suggestion.near("porta", among: ["ports", "port", "portal", "portab", "pottab"]) == ["port", "portab", "portal"])
  }

  @Test("are names with one slip, and no parts, where only that many are asked for")
  func strict() {
    #expect(Suggestion.near("journal", among: ["journals", "journal-payloads", "jurnals"], slips: 1) == ["journals"])
  }

  @Test("are made in no time for a word of any length")
  func long() {
    let word = String(repeating: "a", count: 1_000_000)
    #expect(Suggestion.near(word, among: ["port"]).isEmpty)
    #expect(Suggestion.near("port", among: [word]).isEmpty)
  }
}

@Suite("Commands that are none")
struct UnknownCommandTests {
  @Test(
    "are answered with the command that may be meant",
    arguments: [
      (["sevre"], "'sevre' is no command; did you mean postern serve?"), (["strom", "--url", "x"], "postern storm?"),
      (["token", "mnit"], "'token mnit' is no command; did you mean postern token mint?"),
      (["mint"], "'mint' is no command; did you mean postern token mint?"),
      (["tokne", "mint"], "'tokne' is no command; did you mean postern token mint? (postern"),
      (["--hlep"], "--hlep: no such flag; did you mean --help?"), (["SERVE"], "did you mean postern serve?"),
      (["zebra"], "'zebra' is no command (postern --help lists them)"),
      (["--port", "80"], "a command comes first, as in postern serve --port"),
    ])
  func complaints(words: [String], expected: String) {
    #expect(Postern.complaint(about: words).contains(expected))
  }
}
