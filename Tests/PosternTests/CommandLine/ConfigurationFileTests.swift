import Foundation
import GatewayJSON
import GatewayKit
import TestSupport
import Testing

@testable import postern

struct ConfigurationFileTests {
  private func entries(_ text: String) throws -> [String: [String]] {
    let file = try TemporaryFile(text)
    return Dictionary(
      try ConfigurationFile.read(file.path, of: "--config").map { ($0.key, $0.values.map(\.text)) }
    ) { one, _ in one }
  }

  /// Returns the error in the text, after the file's name.
  private func complaint(_ text: String) throws -> String {
    let file = try TemporaryFile(text)
    do {
      _ = try ConfigurationFile.read(file.path, of: "--config")
      return ""
    } catch {
      return String("\(error)".dropFirst(file.path.count + 1))
    }
  }

  @Test
  func
    `the configuration file is JSON5, with comments, trailing commas, names and texts in any quotes, numbers in any form`()
    throws
  {
    let entries = try entries(
      #"""
      /* all of it */
      {
        plain: 'single "quotes"', // and a comment
        "double": "it's \"\u00e9\" \x41 \ud83d\ude00 \
      goes on",
        whole: 42, signed: +5, negative: -7, hex: 0x1F, fraction: .5, point: 5., exponent: 1e3, long: 0.25,
        greatest: 9223372036854775807,
        on: true, off: false, list: ["a", 1, true,], empty: [],
      }
      """#)
    #expect(entries["plain"] == ["single \"quotes\""])
    #expect(entries["double"] == ["it's \"\u{e9}\" A \u{1F600} goes on"])
    let numbers = ["whole": "42", "signed": "5", "negative": "-7", "hex": "31", "fraction": "0.5", "point": "5"]
    for (key, text) in numbers { #expect(entries[key] == [text]) }
    #expect(entries["exponent"] == ["1000"] && entries["long"] == ["0.25"])
    #expect(entries["greatest"] == ["9223372036854775807"])
    #expect(entries["on"] == ["true"] && entries["off"] == ["false"])
    #expect(entries["list"] == ["a", "1", "true"] && entries["empty"] == [])
    #expect(try self.entries("\u{FEFF}{}\n").isEmpty)
  }

  @Test(arguments: [
    ("", "1:1: the file ends here; expected one object, which begins with {"),
    ("[1]", "1:1: expected one object, which begins with {"),
    ("{", "1:2: the file ends here; the object that begins at 1:1 is not closed with }"),
    ("{\n  \"port\": 1\n  \"hold\": \"1s\"\n}", "3:3: expected , or } behind the value of 'port'"),
    ("{\"port\" 1}", "1:9: expected : behind 'port'"),
    ("{\"port\":}", "1:9: 'port' has no value; expected text in quotes, a number, true, false"),
    ("{\"port\": {\"a\": 1}}", "1:10: 'port': an object is no value; expected text in quotes, a number, true, false"),
    ("{\"host\": [\"a\", [\"b\"]]}", "1:16: 'host': an array in an array is no value"),
    ("{\"host\": [\"a\" \"b\"]}", "1:15: expected , or ] in the array of 'host'"),
    ("{\"host\": [\"a\"", "1:14: the file ends here; the array of 'host' is not closed with ]"),
    ("{\"port\": null}", "1:10: 'port': null is no value; leave the key out"),
    ("{\"hold\": sixty}", "1:10: 'hold': sixty is no value; text stands in quotes"),
    ("{\"hold\": 60s}", "1:10: 60s is no number; a duration or other text stands in quotes"),
    ("{\"port\": 0123}", "1:10: 0123 is no number"), ("{\"port\": 1e999}", "1:10: 1e999 is no number"),
    ("{\"port\": --1}", "1:10: --1 is no number"), ("{\"port\": -Infinity}", "1:10: -Infinity is no number"),
    ("{\"a\": \"b\n\"}", "1:7: the text that begins here does not end on its line"),
    ("{\"a\": \"\\ud800\"}", "1:8: half of a pair of surrogates"),
    ("{\"a\": \"\\xg0\"}", "1:8: expected 2 hexadecimal"),
    ("{refresh-timeout: \"60s\"}", "1:9: a key with - in it needs quotes, as \"refresh-timeout\""),
    ("{\"port\": 1,\n\n \"port\": 2}", "3:2: 'port' stands at 1:2 already"),
    ("{} {}", "1:4: nothing may follow the object"), ("{} /* x", "1:4: this comment is not closed with */"),
    ("{/}", "1:2: expected a comment, // or /*"), ("{,}", "1:2: expected a key, which is a name in quotes"),
    ("\r\n\r\n{\u{e9}\u{301}\u{1F600}: 1}", "3:4: expected : behind"),
  ])
  func `a fault in the configuration file is reported with line and column`(text: String, expected: String) throws {
    let complaint = try complaint(text)
    #expect(complaint.hasPrefix(expected), "\(complaint)")
  }

  @Test
  func `bytes that are no text are refused with their place`() throws {
    let file = try TemporaryFile("{\n  // \u{e9}")
    let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([0xE9, 0x0A]))
    try handle.close()
    #expect {
      _ = try ConfigurationFile.read(file.path, of: "--config")
    } throws: {
      "\($0)" == "\(file.path):2:7: not text in UTF-8"
    }
  }

  @Test
  func `any beginning of a good file is refused or read, and never a trap`() throws {
    let text = #"{ /* c */ "a": "\u00e9\ud83d\ude00", b: [1, -0x2, 'x\'', true,], // d"# + "\r\n c: .5e-1 }"
    for length in 0..<text.unicodeScalars.count {
      var reader = JSON5Reader(String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))))
      #expect(throws: JSON5Reader.Problem.self) { _ = try reader.object() }
    }
  }
}
