internal import GatewayCore
package import GatewayKit

// The flags of `postern serve` that set Streem's side.

extension StreemVendor: OfferedVendor {
  package static var readers: [WireReader] {
    [WireReader(StreemDialect(home: Name("")), StreemClientDialect())]
  }
  package static let title = "Streem"
  package static let scheme = "streem"
  package static let tokens: any TokenTool = StreemTokenTool()
  package static let clients: any ClientTool = StreemClientTool()

  package static func settings(_ arguments: Arguments, _ own: OwnKeys) throws -> StreemSettings {
    var settings = StreemSettings()
    let clients = try OpenIDOptions.clients(arguments)
    if !clients.isEmpty { settings.openID.clients = clients }
    try arguments.read(options, into: &settings)
    return settings
  }

  package static let options = list

  @OptionList<StreemSettings>
  private static var list: [Option<StreemSettings>] {
    StreemTokenKeys.options
    Option(
      "streem-company", "CODE", "the Streem company that owns the keys of --streem-api-key (default postern)"
    ) { company, settings in
      guard StreemCompany.isCode(company.text) else {
        throw UsageError(
          company.source, value: company.text,
          expected: "1 to \(StreemCompany.codeLengthMax) small letters, digits and -, not - first")
      }
      settings.homeCompany.code = Name(company.text)
      settings.homeCompany.name = company.text
    }
    Option(
      "streem-skew", "DURATION",
      "how far clocks may differ when iat and exp of Streem Tokens are checked (default 60s)", \.skew,
      .duration)
    Option(
      "streem-session-life", "DURATION", "how long an invited Streem customer stays logged in (default 4h)",
      \.sessionLife,
      .life)
    Option(
      "streem-invitation-life", "DURATION", "how long the code of a Streem invitation is valid (default 24h)",
      \.invitationLife,
      .life)
    Option(
      "streem-invitation-tries", "N", "wrong invitation codes that one address may try per minute (default 10)",
      \.tries.perAddress,
      .int(1...1_000_000))
    Option(
      "streem-invitation-tries-overall", "N",
      "wrong invitation codes that all addresses together may try per minute (default 1000)",
      \.tries.overall, .int(1...1_000_000))
    Option(
      "streem-landline-prefix", "PREFIX", "a prefix of phone numbers that Streem counts as landlines, e.g. +1415",
      repeats: true
    ) { try $1.landlinePrefixes.append(prefix($0)) }
    Option(
      "streem-unreachable-prefix", "PREFIX", "a prefix of phone numbers that no SMS of Streem reaches", repeats: true
    ) { try $1.unreachablePrefixes.append(prefix($0)) }
    Option(
      "streem-oldest-sdk", "VERSION", "the oldest version of Streem's SDK that may log in (default: any)"
    ) { version, settings in
      guard let oldest = SDKVersion(version.text) else {
        throw UsageError(version.source, value: version.text, expected: "a version as 0.36.0")
      }
      settings.oldestVersion = oldest
    }
    OpenIDOptions.all.map { $0.of(\.openID) }
  }

  private static func prefix(_ value: Arguments.Value) throws -> String {
    guard value.text.first == "+", value.text.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw UsageError(value.source, value: value.text, expected: "the beginning of a number in E.164, as +1415")
    }
    return value.text
  }
}

extension Reading<Duration> {
  fileprivate static var life: Self {
    duration.map { life, name in
      guard life > .zero else { throw UsageError("--\(name)", value: "0s", expected: "a duration longer than 0s") }
      return life
    }
  }
}
