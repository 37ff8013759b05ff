import GatewayKit
import Testing

@testable import postern

struct SuggestionTests {
  @Test(arguments: [
    ("prot", ["port"]), ("prt", ["port"]), ("porrt", ["port"]), ("pert", ["port"]), ("PORT", ["port"]),
    ("refresh_timeout", ["refresh-timeout"]), ("refresh-timeuot", ["refresh-timeout"]), ("por", ["port"]),
    ("timeout", ["login-timeout", "refresh-timeout"]), ("refresh", ["refresh-lead", "refresh-timeout"]),
    ("x", []), ("", []), ("zebra", []), ("po", []), ("hots", ["host"]),
  ])
  func `suggestions are names with one slip, or names that contain the word`(word: String, expected: [String]) {
    let names = ["port", "host", "login-timeout", "refresh-timeout", "refresh-lead", "echo", "proxy-protocol"]
    #expect(Suggestion.near(word, among: names) == expected)
  }

  @Test
  func `suggestions are three at most, the nearest first`() {
    #expect(
      Suggestion.near("porta", among: ["ports", "port", "portal", "portab", "pottab"]) == ["port", "portab", "portal"])
  }

  @Test
  func `suggestions with at most one slip leave out names that contain the word`() {
    #expect(Suggestion.near("journal", among: ["journals", "journal-payloads", "jurnals"], slips: 1) == ["journals"])
  }

  @Test
  func `suggestions are made in no time for a word of any length`() {
    let word = String(repeating: "a", count: 1_000_000)
    #expect(Suggestion.near(word, among: ["port"]).isEmpty)
    #expect(Suggestion.near("port", among: [word]).isEmpty)
  }
}

struct UnknownCommandTests {
  @Test(arguments: [
    (["sevre"], "'sevre' is no command; did you mean postern serve?"), (["strom", "--url", "x"], "postern storm?"),
    (["token", "mnit"], "'token mnit' is no command; did you mean postern token mint?"),
    (["mint"], "'mint' is no command; did you mean postern token mint?"),
    (["tokne", "mint"], "'tokne' is no command; did you mean postern token mint? (postern"),
    (["--hlep"], "--hlep: no such flag; did you mean --help?"), (["SERVE"], "did you mean postern serve?"),
    (["zebra"], "'zebra' is no command (postern --help lists them)"),
    (["--port", "80"], "a command comes first, as in postern serve --port"),
  ])
  func `the error for an unknown command suggests a similar one`(words: [String], expected: String) {
    #expect(Postern.complaint(about: words).contains(expected))
  }
}
