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
      "streem-company", "CODE", "the company of those keys, there from the start (default postern)"
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
      "streem-skew", "DURATION", "the clock skew that iat and exp of Streem Tokens allow for (default 60s)", \.skew,
      .duration)
    Option(
      "streem-session-life", "DURATION", "how long an invited customer stays logged in (default 4h)", \.sessionLife,
      .life)
    Option(
      "streem-invitation-life", "DURATION", "how long an invitation's code is good (default 24h)", \.invitationLife,
      .life)
    Option(
      "streem-invitation-tries", "N", "wrong codes an address may try a minute (default 10)", \.tries.perAddress,
      .int(1...1_000_000))
    Option(
      "streem-invitation-tries-overall", "N", "wrong codes that all may try a minute together (default 1000)",
      \.tries.overall, .int(1...1_000_000))
    Option(
      "streem-landline-prefix", "PREFIX", "phone numbers that count as landlines, as +1415", repeats: true
    ) { try $1.landlinePrefixes.append(prefix($0)) }
    Option(
      "streem-unreachable-prefix", "PREFIX", "phone numbers that no SMS would reach", repeats: true
    ) { try $1.unreachablePrefixes.append(prefix($0)) }
    Option(
      "streem-oldest-sdk", "VERSION", "the oldest SDK version that may identify (default: any)"
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
