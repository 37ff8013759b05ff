import Foundation
import GatewayCore
import GatewayStreem

/// The flags of the Streem platform, and what they ask for, checked.
enum StreemFlags {
  static let all =
    StreemTokenKeys.flags + [
      Flag("streem-company", "CODE", "the company of those keys, there from the start (default postern)"),
      Flag("streem-skew", "DURATION", "the clock skew that iat and exp of Streem Tokens allow for (default 60s)"),
      Flag("streem-session-life", "DURATION", "how long an invited customer stays logged in (default 4h)"),
      Flag("streem-invitation-life", "DURATION", "how long an invitation's code is good (default 24h)"),
      Flag("streem-invitation-tries", "N", "wrong codes an address may try a minute (default 10)"),
      Flag("streem-invitation-tries-overall", "N", "wrong codes that all may try a minute together (default 1000)"),
      Flag("streem-landline-prefix", "PREFIX", "phone numbers that count as landlines, as +1415", repeats: true),
      Flag("streem-unreachable-prefix", "PREFIX", "phone numbers that no SMS would reach", repeats: true),
      Flag("streem-oldest-sdk", "VERSION", "the oldest SDK version that may identify (default: any)"),
    ] + StreemOpenIDFlags.all

  static func settings(_ arguments: Arguments) throws -> StreemSettings {
    var settings = StreemSettings()
    if let company = arguments.value("streem-company") {
      guard StreemCompany.isCode(company.text) else {
        throw UsageError(
          company.source, value: company.text,
          expected: "1 to \(StreemCompany.codeLengthMax) small letters, digits and -, not - first")
      }
      settings.homeCompany.code = Name(company.text)
      settings.homeCompany.name = company.text
    }
    settings.environment = try StreemTokenKeys.environment(arguments)
    settings.apiKeys = try StreemTokenKeys.read(arguments).map { ($0.id, $0.key) }
    if let skew = try arguments.duration("streem-skew") { settings.skew = skew }
    if let life = try life("streem-session-life", arguments) { settings.sessionLife = life }
    if let life = try life("streem-invitation-life", arguments) { settings.invitationLife = life }
    if let tries = try arguments.int("streem-invitation-tries", in: 1...1_000_000) {
      settings.tries.perAddress = tries
    }
    if let tries = try arguments.int("streem-invitation-tries-overall", in: 1...1_000_000) {
      settings.tries.overall = tries
    }
    settings.landlinePrefixes = try prefixes("streem-landline-prefix", arguments)
    settings.unreachablePrefixes = try prefixes("streem-unreachable-prefix", arguments)
    if let version = arguments.value("streem-oldest-sdk") {
      guard let oldest = SDKVersion(version.text) else {
        throw UsageError(version.source, value: version.text, expected: "a version as 0.36.0")
      }
      settings.oldestVersion = oldest
    }
    settings.openID = try StreemOpenIDFlags.settings(arguments)
    return settings
  }

  private static func life(_ name: String, _ arguments: Arguments) throws -> Duration? {
    guard let life = try arguments.duration(name) else { return nil }
    guard life > .zero else { throw UsageError("--\(name)", value: "0s", expected: "a duration longer than 0s") }
    return life
  }

  private static func prefixes(_ name: String, _ arguments: Arguments) throws -> [String] {
    try arguments.values(name).map { value in
      guard value.text.first == "+", value.text.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
        throw UsageError(value.source, value: value.text, expected: "the beginning of a number in E.164, as +1415")
      }
      return value.text
    }
  }
}
