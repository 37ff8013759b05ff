import Foundation
import Testing

@testable import postern

struct ControlTextTests {
  @Test
  func `a user's name cannot add a row to the table of sessions or move a terminal's cursor`() throws {
    let name = "eve\nconn_0_9  root\u{1B}[2J\u{9B}31m\u{202E}é"
    let session: [String: Any] = [
      "id": "conn_0_1", "dialect": "plain", "phase": "active", "user_id": name, "user_kind": "regular", "age_ms": 1000,
      "silence_ms": 0, "calls": [String](), "peer": "127.0.0.1",
    ]
    let answer = ControlClient.Answer(
      status: 200, data: Array(try JSONSerialization.data(withJSONObject: ["sessions": [session]])))
    let lines = ControlText.sessions(answer).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.last?.contains(#" eve\u000aconn_0_9  root\u001b[2J\u009b31m\u202eé  regular"#) == true)
  }

  @Test(arguments: [
    ("a\tb\nc", "a\tb\nc"), ("closing: \u{1B}[31m", #"closing: \u001b[31m"#), ("\r\u{7F}", #"\u000d\u007f"#),
    ("\u{2028}\u{E000}", #"\u2028\ue000"#), ("né K \u{1F600}", "né K \u{1F600}"), ("\u{E0001}", #"\udb40\udc01"#),
  ])
  func `text for a terminal keeps its lines and loses invisible characters`(text: String, shown: String) {
    #expect(Array(VisibleText.escaping(text, keeping: "\n\t").utf8) == Array(shown.utf8))
  }

  @Test(
    arguments: [
      ("0.020469000000000001", "0.020469"), ("1764093000.1230001", "1764093000.1230001"), ("3599.9999999999959", nil),
      ("0.5", "0.5"), ("60.0", "60.0"), ("-0.10000000000000001", "-0.1"), ("1e-300", nil), ("123456789012345678", nil),
      ("0.30000000000000004", nil),
    ] as [(String, String?)])
  func `a number in a table has the fewest digits that read back the same`(text: String, shown: String?) throws {
    let table = try #require(ControlTable.text(Array(#"{"clock":{"session_s":\#(text)}}"#.utf8)))
    let said = try #require(table.split(separator: " ").last.map(String.init))
    #expect(Double(said) == Double(text) && said.utf8.count <= text.utf8.count)
    if let shown { #expect(said == shown) }
  }
}
