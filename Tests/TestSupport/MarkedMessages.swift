package import GatewayCore
internal import Testing

/// A transcript's messages with a mark instead of every secret. After a dialect has redacted them no mark is left, and
/// all other text is.
package enum MarkedMessages {
  private static let mark = "a.marked-secret.that-nobody-sees"

  /// Checks the dialect's redaction. `names` is a pattern of the names of members with secrets; messages for which
  /// `isWhole` returns false may be redacted further.
  package static func check(
    _ messages: [String], secrets names: String, by dialect: any Dialect,
    isWhole: (String) -> Bool = { $0.hasPrefix("{") && $0.hasSuffix("}") }
  ) throws {
    let secret = try Regex("\"(\(names))\"(:\\s*)\"(?:[^\"\\\\]|\\\\.)*\"", as: (Substring, Substring, Substring).self)
    var count = 0
    for message in messages {
      let marked = message.replacing(secret) { match in
        count += 1
        return "\"\(match.output.1)\"\(match.output.2)\"\(mark)\""
      }
      let shown = Array(marked.utf8).withUnsafeBytes { dialect.redacted($0, .text, isUnderstood: true) }
      #expect(shown?.contains(mark) != true, "\(message)")
      if isWhole(message) { #expect(shown == marked.replacing(mark, with: "(redacted)")) }
      let strange = Array(marked.utf8).withUnsafeBytes { dialect.redacted($0, .text, isUnderstood: false) }
      #expect(strange?.contains(mark) != true, "\(message)")
      // In an unknown member of an unknown message.
      let lost = Array(marked.replacing(names.prefix { $0 != "|" }, with: "tok").utf8)
      #expect(lost.withUnsafeBytes { dialect.redacted($0, .text, isUnderstood: false) }?.contains(mark) != true)
    }
    #expect(count > 0, "no message has a secret")
    try checkEveryMember(of: messages, by: dialect)
  }

  /// The forms of secrets that are recognised in any member.
  private static let shapes = [
    "eyJhbGciOiJIUzI1NiJ9.\(mark).x", "see eyJhbGciOiJIUzI1NiJ9.\(mark)",
    "https://h.example/a?access_token=\(mark)&b=1",
    "wss://h.example/?AUTH=\(mark)", "bearer \(mark)", "Basic \(mark)", #"{\"token\":\"\#(mark)\"}"#,
    #"MESG[{\"a\":{\"client_secret\":\"\#(mark)\"}}]"#,
    #"{\"data\":\"{\\\"password\\\":\\\"\#(mark)\\\"}\"}"#, #"\u0065yJhbGciOiJIUzI1NiJ9.\#(mark)"#,
  ]

  /// Checks that the dialect hides each of them in the value of each member of each message.
  private static func checkEveryMember(of messages: [String], by dialect: any Dialect) throws {
    let member = try Regex(#""[A-Za-z_]+":\s*("(?:[^"\\]|\\.)*")"#, as: (Substring, Substring).self)
    for message in messages {
      for match in message.matches(of: member) {
        for shape in shapes {
          let value = match.output.1
          let marked = message[..<value.startIndex] + "\"\(shape)\"" + message[value.endIndex...]
          let shown = Array(marked.utf8).withUnsafeBytes { dialect.redacted($0, .text, isUnderstood: true) }
          #expect(shown?.contains(mark) != true, "\(marked)")
        }
      }
    }
  }
}
