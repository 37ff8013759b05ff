/// The values that a token's `iss` or `aud` may have, and the one that it has. For the log: no client is told.
package struct ClaimMismatch: Hashable, Sendable {
  /// The longest text in bytes; what is longer is cut off and ends with "…".
  package static let bytesMax = 200

  /// The accepted values, separated by commas.
  package let expected: String
  /// The token's own, separated by commas.
  package let presented: String

  package init(expected: [String], presented: [String]) {
    self.expected = Self.bounded(expected.joined(separator: ","))
    self.presented = Self.bounded(presented.joined(separator: ","))
  }

  private static func bounded(_ text: String) -> String {
    guard text.utf8.count > bytesMax else { return text }
    var (kept, bytes) = (String.UnicodeScalarView(), "…".utf8.count)
    for scalar in text.unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= bytesMax else { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }
}
