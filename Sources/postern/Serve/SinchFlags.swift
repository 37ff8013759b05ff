import GatewayCore
import GatewaySinch
import GatewayTokens

/// The flags of `postern serve` that set Sinch's side.
enum SinchFlags {
  static let all = applicationFlags + tokenFlags + others

  private static let applicationFlags = [
    Flag(
      "sinch-application", "KEY=FILE",
      "a Sinch application and the file of its base64 secret; two files for one key while it is being replaced "
        + "(default: any key, with the gateway's own secret)", repeats: true)
  ]

  /// Those that say what tokens must be.
  static let tokenFlags = [
    Flag("sinch-clock-skew", "DURATION", "how far the clocks of token signers may differ (default 60s)"),
    Flag(
      "sinch-kid-tolerance", "DAYS",
      "days that kid may be off the UTC date of iat; 1 admits the Android sample "
        + "everywhere (default 0)"),
    Flag("sinch-token-life-max", "DURATION", "the longest exp - iat (default: any)"),
    Flag(
      "sinch-nonce-replay", "reject|same-device|allow",
      "what is done about a nonce that was used; the JavaScript sample uses one twice (default reject)"),
    Flag("sinch-token-life-min", "DURATION", "the shortest exp - iat; below 60s for tests (default 60s)"),
    Flag(
      "sinch-instance-life-min", "DURATION",
      "the shortest life of a limited registration; below 48h for tests (default 48h)"),
  ]

  private static let others = [
    Flag("sinch-errors", "explain|production", "whether Sinch's errors name the failed check (default explain)"),
    Flag("sinch-legacy", "on|off", "whether the legacy mobile and web credentials are taken (default on)"),
    Flag("sinch-timestamp-window", "DURATION", "how far x-timestamp may be off (default 300s)"),
    Flag("sinch-guests", "N", "guests that an address may make a minute (default 60)"),
    Flag("sinch-password-tries", "N", "passwords that an address may try a minute (default 30)"),
    Flag("sinch-user", "NAME=FILE", "a user with a password (legacy web), and the file it is in", repeats: true),
  ]

  private enum Errors: String, CaseIterable {
    case explain, production
  }

  private enum Switch: String, CaseIterable {
    case on, off
  }

  /// What the flags ask for.
  static func settings(_ arguments: Arguments) throws -> SinchSettings {
    var settings = SinchSettings(applications: try applications(arguments))
    settings.tokens = try tokens(arguments)
    settings.explains = try arguments.choice("sinch-errors", Errors.self) != .production
    settings.offersLegacy = try arguments.choice("sinch-legacy", Switch.self) != .off
    if let window = try arguments.duration("sinch-timestamp-window") { settings.timestampWindow = window }
    if let most = try arguments.int("sinch-guests", in: 1...1_000_000) { settings.guestsPerMinute = most }
    if let most = try arguments.int("sinch-password-tries", in: 1...1_000_000) { settings.passwordsPerMinute = most }
    for value in arguments.values("sinch-user") {
      let (name, file) = try pair(value)
      guard SinchUserName.isLegacyWeb(name) else {
        throw UsageError(value.source, value: value.text, expected: "a name of at most 40 printable characters")
      }
      settings.passwords[Name(name)] = Credentials(token: try SecretFile.read(file, of: value.source))
    }
    return settings
  }

  static func tokens(_ arguments: Arguments) throws -> SinchTokenPolicy {
    var policy = SinchTokenPolicy()
    if let skew = try arguments.duration("sinch-clock-skew") { policy.clockSkew = skew }
    if let days = try arguments.int("sinch-kid-tolerance", in: 0...366) { policy.kidDateToleranceDays = days }
    policy.tokenLifeMax = try arguments.duration("sinch-token-life-max")
    if let replay = try arguments.choice("sinch-nonce-replay", SinchNonceReplay.self) { policy.nonceReplay = replay }
    if let least = try arguments.duration("sinch-token-life-min") { policy.tokenLifeMin = least }
    if let least = try arguments.duration("sinch-instance-life-min") { policy.instanceLifeMin = least }
    return policy
  }

  /// The applications that flags name; else any, with the gateway's own secret, so that a first try needs no more than
  /// the gateway itself does.
  private static func applications(_ arguments: Arguments) throws -> SinchApplications {
    let values = arguments.values("sinch-application")
    guard values.isEmpty else { return SinchApplications(try values.map(application)) }
    return SinchApplications(any: try ownSecret(arguments) ?? SinchSecret(bytes: SecureRandom.bytes(16)))
  }

  /// The gateway's own secret as an application's: decoded where it is base64 text, else its bytes; nil if none is given.
  static func ownSecret(_ arguments: Arguments) throws -> SinchSecret? {
    try TokenKeys.secret(arguments).map { SinchSecret($0) ?? SinchSecret(bytes: Array($0.utf8)) }
  }

  static func application(_ value: Arguments.Value) throws -> SinchApplication {
    let (key, file) = try pair(value)
    guard SinchApplications.isKey(key) else {
      throw UsageError(value.source, value: value.text, expected: "a key of letters, digits, - and _, = and a file")
    }
    guard let secret = SinchSecret(try SecretFile.read(file, of: value.source)) else {
      throw UsageError("\(value.source): '\(file)' holds no base64 text (either alphabet, padding optional)")
    }
    return SinchApplication(key: Name(key), secrets: [secret])
  }

  private static func pair(_ value: Arguments.Value) throws -> (String, String) {
    let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw UsageError(value.source, value: value.text, expected: "a name, = and a file")
    }
    return (parts[0], parts[1])
  }
}
