import Foundation
import GatewayCore
import GatewayStreem

/// The API keys that flags name, for whatever mints or verifies Streem Tokens.
enum StreemTokenKeys {
  static let flags = [
    Flag("streem-api-key", "ID=FILE", "an API key: its secret as it was handed out, or a JWK", repeats: true),
    Flag("streem-environment", "NAME", "the environment in the aud of Streem Tokens (default prod-us)"),
  ]

  /// A key, with the text it came in.
  struct Named {
    let id: Name
    let text: String
    let key: StreemSecret
    fileprivate let source: String
  }

  /// The keys of the flags. Throws what is wrong; never what a file holds.
  static func read(_ arguments: Arguments) throws -> [Named] {
    let keys = try arguments.values("streem-api-key").map(read)
    guard Set(keys.map(\.id)).count == keys.count else {
      throw UsageError("--streem-api-key names the same id twice")
    }
    return keys
  }

  private static func read(_ value: Arguments.Value) throws -> Named {
    let parts = value.text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      throw UsageError(value.source, value: value.text, expected: "the key's id, = and the file of its secret")
    }
    let text = try SecretFile.read(parts[1], of: value.source)
    do {
      return Named(id: Name(parts[0]), text: text, key: try StreemSecret(text), source: "\(value.source) \(parts[1])")
    } catch {
      throw UsageError("\(value.source) \(parts[1]): \(error)")
    }
  }

  /// The environment whose tokens are meant.
  static func environment(_ arguments: Arguments) throws -> String {
    guard let environment = arguments.value("streem-environment") else { return StreemSettings().environment }
    guard StreemCompany.isCode(environment.text) else {
      throw UsageError(environment.source, value: environment.text, expected: "a name as prod-us or sandbox-us")
    }
    return environment.text
  }

  /// Who mints with the first key.
  static func issuer(_ arguments: Arguments) throws -> StreemTokenIssuer {
    guard let named = try read(arguments).first else {
      throw UsageError("no key: minting Streem Tokens needs --streem-api-key ID=FILE, the secret in the file")
    }
    var settings = StreemSettings()
    settings.environment = try environment(arguments)
    do {
      return try StreemTokenIssuer(apiKey: named.id, jwk: try StreemSecret.jwk(named.text), settings: settings)
    } catch {
      throw UsageError("\(named.source): \(error)")
    }
  }
}
