package import GatewayCore
internal import Testing

/// Messages of a transcript with a mark in the place of every secret: ann's token, say. When a dialect has redacted them no
/// mark is left, and everything else is.
package enum MarkedMessages {
  private static let mark = "a.marked-secret.that-nobody-sees"

  /// Holds the dialect to that. `names` are those of the members that hold secrets, as a pattern; what `isWhole` says no to
  /// may be shown less of.
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
      // In a member that nobody knows, of a message that nobody understands.
      let lost = Array(marked.replacing(names.prefix { $0 != "|" }, with: "tok").utf8)
      #expect(lost.withUnsafeBytes { dialect.redacted($0, .text, isUnderstood: false) }?.contains(mark) != true)
    }
    #expect(count > 0, "no message has a secret")
  }
}
