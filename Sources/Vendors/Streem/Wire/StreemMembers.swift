internal import GatewayCore
internal import GatewayKit

// Members as the vendor's SDKs write them: a missing value may be absent, null or empty.

extension JSONObject {
  /// The maximum size in bytes of a text in any member but a token.
  static let textBytesMax = 2_000

  /// Returns the text with that name; nil if it is absent, null or empty.
  func text(_ name: StaticString) throws(GatewayError) -> String? {
    if try hasNull(name) { return nil }
    let text = try string(name, bytes: 0...Self.textBytesMax)
    return text?.isEmpty == true ? nil : text
  }

  /// Returns the text with that name, of 1 to `bytes` bytes.
  func needed(_ name: StaticString, bytes: Int) throws(GatewayError) -> String {
    guard let text = try text(name), text.utf8.count <= bytes else {
      throw .invalidParameter.detailed("\(name) must be a string of 1 to \(bytes) bytes")
    }
    return text
  }

  /// Returns the whole number with that name; nil if it is absent.
  func whole(_ name: StaticString, in range: ClosedRange<Int>) throws(GatewayError) -> Int? {
    guard let number = try number(name) else { return nil }
    guard let whole = Int(exactly: number), range.contains(whole) else {
      throw .invalidParameter.detailed(
        "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return whole
  }

  /// Returns the boolean with that name; nil if it is absent or null.
  func truth(_ name: StaticString) throws(GatewayError) -> Bool? {
    switch try verbatim(name, depth: 0) {
    case nil, "null": return nil
    case "true": return true
    case "false": return false
    default: throw .invalidParameter.detailed("\(name) must be true or false")
    }
  }

  private func hasNull(_ name: StaticString) throws(GatewayError) -> Bool {
    guard has(name), (try? string(name)) == nil else { return false }
    return try verbatim(name, depth: Self.depthOfAnything) == "null"
  }

  /// The maximum nesting of a text, so that any value can be read.
  private static let depthOfAnything = 64

  func streemDetails() throws(GatewayError) -> StreemDetails {
    StreemDetails(
      name: try text("name"), avatarURL: try text("avatarUrl"), companyCode: try text("companyCode"),
      sdkVersion: try text("sdkVersion"), isExpert: try truth("isExpert"))
  }

  /// Returns the token of an `identify` or a `token`.
  func streemToken() throws(GatewayError) -> String {
    guard let token = try string("token", bytes: 1...Int.max) else {
      throw .invalidParameter.detailed("token is missing; it must be a Streem Token")
    }
    return token
  }
}
