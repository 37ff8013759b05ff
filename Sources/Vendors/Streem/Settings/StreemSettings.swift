package import GatewayCore

/// The settings of the Streem platform: the environment `prod-us`, for instance, which the audience of tokens must
/// name.
package struct StreemSettings: Sendable {
  /// The name of the dialect that the tokens are shown to.
  static let dialect = "streem"
  /// The name in the audience that tokens must have: `https://api.{environment}.streem.cloud/`.
  package var environment = "prod-us"
  /// How far clocks may differ, for `iat` and `exp`.
  package var skew = Duration.seconds(60)
  /// The company that is there from the start; its users go by their own names among the gateway's. Without a `sid` it is
  /// given one.
  package var homeCompany = StreemCompany(code: "postern", sid: "", name: "Postern")
  /// The API keys that are there from the start, all of the home company.
  package var apiKeys: [(id: Name, key: StreemSecret)] = []
  /// How long a token that the gateway mints may start a session.
  package var tokenLife = Duration.seconds(5 * 60)
  /// How long its user then stays logged in, unless somebody says.
  package var sessionLife = Duration.seconds(4 * 3600)
  /// How long an invitation's code is good.
  package var invitationLife = Duration.seconds(24 * 3600)
  /// How many wrong codes are borne.
  package var tries = StreemTryLimits()
  /// Beginnings of phone numbers that count as landlines, for tests: nobody here can tell.
  package var landlinePrefixes: [String] = []
  /// Beginnings of phone numbers that no SMS reaches, for tests: none is ever sent.
  package var unreachablePrefixes: [String] = []
  /// The oldest SDK that may identify; nil for any.
  package var oldestVersion: SDKVersion?

  /// What the OpenID provider keeps to.
  package var openID = OpenIDSettings()

  package init() {}

  /// The `aud` of every token.
  package var audience: Name { Name("https://api.\(environment).streem.cloud/") }
}

/// The version of a client, numbers between dots, compared one by one: `1.10` is newer than `1.9`, for instance.
package struct SDKVersion: Hashable, Comparable, Sendable {
  private let numbers: [Int]

  /// Nil unless `text` begins with a number; what follows the numbers (`-beta`, say) is not looked at.
  package init?(_ text: String) {
    let plain = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let parts = plain.split(separator: ".").map { Int($0) }
    guard !parts.isEmpty, parts.count <= 8, !parts.contains(nil) else { return nil }
    numbers = parts.compactMap { $0 }
  }

  package static func < (lhs: SDKVersion, rhs: SDKVersion) -> Bool {
    for index in 0..<max(lhs.numbers.count, rhs.numbers.count) {
      let left = index < lhs.numbers.count ? lhs.numbers[index] : 0
      let right = index < rhs.numbers.count ? rhs.numbers[index] : 0
      if left != right { return left < right }
    }
    return false
  }
}
