internal import GatewayCore

/// The settings of the Streem platform.
package struct StreemSettings: Sendable {
  /// The name of the dialect that uses the tokens.
  static let dialect = "streem"
  /// The name in the required audience: `https://api.{environment}.streem.cloud/`.
  var environment = "prod-us"
  /// The clock tolerance for `iat` and `exp`.
  var skew = Duration.seconds(60)
  /// The company that exists from the start, whose users keep their own names in the gateway. Without a `sid` it gets
  /// one.
  var homeCompany = StreemCompany(code: "postern", sid: "", name: "Postern")
  /// The home company's API keys that exist from the start.
  var apiKeys: [(id: Name, key: StreemSecret)] = []
  /// How long a token from the gateway may start a session.
  var tokenLife = Duration.seconds(5 * 60)
  /// How long its user then stays logged in by default.
  var sessionLife = Duration.seconds(4 * 3600)
  /// The validity of an invitation's code.
  var invitationLife = Duration.seconds(24 * 3600)
  /// The limits for wrong codes.
  var tries = StreemTryLimits()
  /// Prefixes of phone numbers that count as landlines, for tests; the gateway cannot know.
  var landlinePrefixes: [String] = []
  /// Prefixes of phone numbers that no SMS reaches, for tests; none is ever sent.
  var unreachablePrefixes: [String] = []
  /// The oldest accepted SDK version; nil for any.
  var oldestVersion: SDKVersion?

  /// The settings of the OpenID provider.
  var openID = OpenIDSettings()

  init() {}

  /// The required `aud` of tokens.
  var audience: Name { Name("https://api.\(environment).streem.cloud/") }
}

/// The version of a client: numbers between dots, compared one by one.
struct SDKVersion: Hashable, Comparable, Sendable {
  private let numbers: [Int]

  /// Reads a version; fails unless `text` begins with a number. A suffix after the numbers, such as `-beta`, is
  /// ignored.
  init?(_ text: String) {
    let plain = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let parts = plain.split(separator: ".").map { Int($0) }
    guard !parts.isEmpty, parts.count <= 8, !parts.contains(nil) else { return nil }
    numbers = parts.compactMap { $0 }
  }

  static func < (lhs: SDKVersion, rhs: SDKVersion) -> Bool {
    for index in 0..<max(lhs.numbers.count, rhs.numbers.count) {
      let left = index < lhs.numbers.count ? lhs.numbers[index] : 0
      let right = index < rhs.numbers.count ? rhs.numbers[index] : 0
      if left != right { return left < right }
    }
    return false
  }
}
