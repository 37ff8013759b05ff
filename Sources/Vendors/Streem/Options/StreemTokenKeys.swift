import GatewayCore
import GatewayKit

/// The API keys in flags, e.g. `--streem-api-key api_1=key.txt`, for commands that issue or verify Streem Tokens.
enum StreemTokenKeys {
  private static let apiKey = Option<StreemSettings>(
    "streem-api-key", "ID=FILE", "a Streem API key: its id, and the file with its secret as handed out, or a JWK",
    repeats: true
  ) { value, settings in
    let key = try Named(value)
    guard !settings.apiKeys.contains(where: { $0.id == key.id }) else {
      throw UsageError("--streem-api-key names the same id twice")
    }
    settings.apiKeys.append((key.id, key.key))
  }

  @OptionList<StreemSettings>
  static var options: [Option<StreemSettings>] {
    apiKey
    Option(
      "streem-environment", "NAME", "the Streem environment in the aud of Streem Tokens (default prod-us)"
    ) { environment, settings in
      guard StreemCompany.isCode(environment.text) else {
        throw UsageError(environment.source, value: environment.text, expected: "a name as prod-us or sandbox-us")
      }
      settings.environment = environment.text
    }
  }

  /// A key with the flag that named it.
  private struct Named {
    let id: Name
    let text: String
    let key: StreemSecret
    let source: String

    /// Reads a flag's key file. Errors never contain the file's content.
    init(_ value: Arguments.Value) throws {
      let parts = value.text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw UsageError(value.source, value: value.text, expected: "the key's id, = and the file of its secret")
      }
      id = Name(parts[0])
      source = "\(value.source) \(parts[1])"
      text = try SecretFile.read(parts[1], of: value)
      do {
        key = try StreemSecret(text)
      } catch {
        throw UsageError("\(source): \(error)")
      }
    }
  }

  /// Returns settings with the keys of the flags.
  static func settings(_ arguments: Arguments) throws -> StreemSettings {
    var settings = StreemSettings()
    try arguments.read(options, into: &settings)
    return settings
  }

  /// Returns an issuer with the first key.
  static func issuer(_ arguments: Arguments) throws -> StreemTokenIssuer {
    let settings = try settings(arguments)
    guard let named = try arguments.values(of: apiKey).first.map(Named.init) else {
      throw UsageError("no key: minting Streem Tokens needs --streem-api-key ID=FILE, the secret in the file")
    }
    do {
      return try StreemTokenIssuer(apiKey: named.id, jwk: try StreemSecret.jwk(named.text), settings: settings)
    } catch {
      throw UsageError("\(named.source): \(error)")
    }
  }
}
