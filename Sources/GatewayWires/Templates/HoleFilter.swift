internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// A transformation of a hole's value before it is written, e.g. `{{user:base64}}`.
package enum HoleFilter: String, Hashable, Sendable, CaseIterable {
  /// As JSON text in quotes.
  case json
  case base64
  /// Without padding.
  case base64url
  /// Percent-encoded.
  case url
  /// As a JSON number; alone in its string.
  case number

  /// Returns the filtered value; nil for a value that should be a number and is not.
  func apply(to value: String) -> String? {
    switch self {
    case .json:
      var writer = JSONWriter()
      writer.string(value)
      return writer.text
    case .base64: return Base64.encode(Array(value.utf8))
    case .base64url: return Base64URL.encode(Array(value.utf8))
    case .url: return PercentEncoding.encode(value)
    case .number: return Self.isNumber(value) ? value : nil
    }
  }

  /// Returns the text with `mark` instead of the value, in every form in which a template may have written it.
  static func hiding(_ value: String, in text: String, behind mark: String) -> String {
    guard !value.isEmpty else { return text }
    let quoted = HoleFilter.json.apply(to: value).map { String($0.dropFirst().dropLast()) }
    let encoded = [HoleFilter.base64, .base64url, .url].map { $0.apply(to: value) }
    // Longer forms first, so that the unpadded form does not leave the padding of the padded one.
    let forms = Set(([value, quoted] + encoded).compactMap { $0 }).sorted { $0.utf8.count > $1.utf8.count }
    return forms.reduce(text) { $0.replacing(bytesOf: $1, with: mark) }
  }

  /// Returns whether the text is a JSON number without an exponent.
  private static func isNumber(_ text: String) -> Bool {
    var digits = text.utf8[...]
    if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let isWhole = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
    return isWhole && digits.count <= 32 && (parts[0].count == 1 || parts[0].first != 0x30)
  }
}
