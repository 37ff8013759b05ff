internal import GatewayCore
package import GatewayKit
internal import GatewayTokens

// The flags of `postern serve` for Sinch.

extension SinchVendor: OfferedVendor {
  package static let title = "Sinch"
  package static let scheme = "sinch"
  package static let tokens: any TokenTool = SinchTokenTool()
  package static let clients: any ClientTool = SinchClientTool()

  package static func settings(_ arguments: Arguments, _ own: OwnKeys) throws -> SinchSettings {
    var settings = SinchSettings(applications: try applications(arguments, own))
    try arguments.read(options, into: &settings)
    return settings
  }

  package static let options = list

  private static let application = Option<SinchSettings>(
    "sinch-application", "KEY=FILE",
    "a Sinch application's key and the file with its base64 secret; two files for one key while the secret is replaced "
      + "(default: any key, with the gateway's own secret)", repeats: true)

  @OptionList<SinchSettings>
  private static var list: [Option<SinchSettings>] {
    application
    tokenOptions.map { $0.of(\.tokens) }
    Option("sinch-errors", "explain|production", "whether Sinch's errors name the failed check (default explain)") {
      try $1.explains = $0.isOneOf("explain", "production")
    }
    Option("sinch-legacy", "on|off", "whether Sinch's legacy mobile and web credentials are accepted (default on)") {
      try $1.offersLegacy = $0.isOneOf("on", "off")
    }
    Option(
      "sinch-timestamp-window", "DURATION",
      "how far the x-timestamp of a Sinch request may be from the gateway's time (default 300s)", \.timestampWindow,
      .duration)
    Option(
      "sinch-guests", "N", "Sinch guests that one address may create per minute (default 60)", \.guestsPerMinute,
      .int(1...1_000_000))
    Option(
      "sinch-password-tries", "N", "Sinch passwords that one address may try per minute (default 30)",
      \.passwordsPerMinute,
      .int(1...1_000_000))
    Option(
      "sinch-callback", "URL",
      "the callback URL of Sinch applications, which gets ICE and DiCE events about their users' calls (default: none)"
    ) { value, settings in
      guard let address = SinchCallbackAddress(value.text) else {
        throw UsageError(value.source, value: value.text, expected: "an http or https URL without a user")
      }
      settings.callbackAddress = address
    }
    Option(
      "sinch-user", "NAME=FILE",
      "a Sinch user with a password, for the legacy web credentials, and the file with the password", repeats: true
    ) { value, settings in
      let (name, file) = try value.nameAndFile()
      guard SinchUserName.isLegacyWeb(name) else {
        throw UsageError(value.source, value: value.text, expected: "a name of at most 40 printable characters")
      }
      settings.passwords[Name(name)] = Credentials(token: try SecretFile.read(file, of: value))
    }
  }

  /// The options about tokens, for everything that verifies them.
  @OptionList<SinchTokenPolicy>
  static var tokenOptions: [Option<SinchTokenPolicy>] {
    Option(
      "sinch-clock-skew", "DURATION", "how far the clocks of Sinch token signers may differ (default 60s)", \.clockSkew,
      .duration)
    Option(
      "sinch-kid-tolerance", "DAYS",
      "days that the kid of a Sinch token may differ from the UTC date of its iat; 1 accepts the Android sample in every time zone (default 0)",
      \.kidDateToleranceDays, .int(0...366))
    Option(
      "sinch-token-life-max", "DURATION", "the longest life of a Sinch token, exp - iat (default: any)", \.tokenLifeMax,
      .duration)
    Option(
      "sinch-nonce-replay", "reject|same-device|allow",
      "what happens to a Sinch token with a used nonce; the JavaScript sample uses one twice (default reject)",
      \.nonceReplay,
      .choice)
    Option(
      "sinch-token-life-min", "DURATION",
      "the shortest life of a Sinch token, exp - iat; below 60s for tests (default 60s)", \.tokenLifeMin,
      .duration)
    Option(
      "sinch-instance-life-min", "DURATION",
      "the shortest life of a limited Sinch registration; below 48h for tests (default 48h)", \.instanceLifeMin,
      .duration)
  }

  /// Returns the applications in flags; by default any application, with the gateway's own secret, so that a first try
  /// needs no further flags.
  private static func applications(_ arguments: Arguments, _ own: OwnKeys) throws -> SinchApplications {
    let values = arguments.values(of: application)
    guard values.isEmpty else { return SinchApplications(try values.map(read)) }
    guard let secret = own.secret else {
      return SinchApplications(any: SinchSecret(bytes: SecureRandom.bytes(16)), isRandom: true)
    }
    return SinchApplications(any: SinchSecret(of: secret))
  }

  private static func read(_ value: Arguments.Value) throws -> SinchApplication {
    let (key, file) = try value.nameAndFile()
    guard SinchApplications.isKey(key) else {
      throw UsageError(value.source, value: value.text, expected: "a key of letters, digits, - and _, = and a file")
    }
    guard let secret = SinchSecret(try SecretFile.read(file, of: value)) else {
      throw UsageError("\(value.source): '\(file)' holds no base64 text (either alphabet, padding optional)")
    }
    return SinchApplication(key: Name(key), secrets: [secret])
  }
}

extension SinchSecret {
  /// Creates an application secret from the gateway's own: decoded if it is base64, else its bytes.
  init(of text: String) {
    self = SinchSecret(text) ?? SinchSecret(bytes: Array(text.utf8))
  }
}

extension Arguments.Value {
  fileprivate func nameAndFile() throws -> (String, String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw UsageError(source, value: text, expected: "a name, = and a file")
    }
    return (parts[0], parts[1])
  }

  /// Returns whether the value is the first of the two allowed words.
  fileprivate func isOneOf(_ yes: String, _ no: String) throws -> Bool {
    guard text == yes || text == no else { throw UsageError(source, value: text, expected: "\(yes) or \(no)") }
    return text == yes
  }
}
