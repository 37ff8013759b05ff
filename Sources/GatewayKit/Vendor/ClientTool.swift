package import GatewayCore
package import GatewayTokens

/// A vendor's clients as `postern storm` knows them: whose habits they have, who makes their tokens. Some name an
/// application, for instance.
package protocol ClientTool: Sendable {
  /// The SDKs whose habits they may have, the usual one first; none where there is one kind of client.
  var sdks: [String] { get }

  /// The application that they name where nobody says; nil if they name none.
  var usualApplication: String? { get }

  /// The domains of the vendor's own service, which many share and no storm may hit.
  var serviceDomains: [String] { get }

  /// What their wire has no way to say, each with the reason.
  var lacks: [WireFeature: String] { get }

  /// What they show the token provider, where it is no secret of the provider's own: the key of a platform API, say.
  var providerSecret: String? { get }

  /// The flags that only these clients have, and those of the keys that only they mint with.
  var flags: [Flag] { get }
  var keyFlags: [Flag] { get }

  /// The clients' side of the wire.
  func dialect(_ arguments: Arguments, providerSecret: Credentials?) throws -> any ClientDialect

  /// The path at which they ask for tokens, where only this one will do.
  func providerPath(_ providerSecret: Credentials?) -> String?

  /// Who makes the tokens of clients that mint their own.
  func issuer(_ arguments: Arguments) throws -> any TokenIssuer
}

// What holds for clients about which nothing else is said.

extension ClientTool {
  package var sdks: [String] { [] }
  package var usualApplication: String? { nil }
  package var serviceDomains: [String] { [] }
  package var lacks: [WireFeature: String] { [:] }
  package var providerSecret: String? { nil }
  package var flags: [Flag] { [] }
  package var keyFlags: [Flag] { [] }
  package func providerPath(_ providerSecret: Credentials?) -> String? { nil }

  /// Signs with the key that flags name. Vendors sign with whatever secret they gave out, of any length.
  package func signer(_ arguments: Arguments, allowsShortSecret: Bool = true) throws -> JWTSigner {
    guard let signer = try TokenKeys(arguments, allowsShortSecret: allowsShortSecret)?.signer() else {
      throw UsageError("--mint needs a key that can sign: --secret-file, POSTERN_SECRET or --key-file")
    }
    return signer
  }
}
