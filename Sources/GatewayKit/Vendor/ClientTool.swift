package import GatewayCore
package import GatewayTokens

/// A vendor's clients for `postern storm`: their SDKs, flags, wire format and tokens.
package protocol ClientTool: Sendable {
  /// The SDKs whose behaviour they may have, the default first; empty if there is one kind of client.
  var sdks: [String] { get }

  /// The default application of the clients; nil if they name none.
  var usualApplication: String? { get }

  /// The domains of the vendor's own service, which many customers share and no storm may hit.
  var serviceDomains: [String] { get }

  /// The features that their wire format lacks, each with the reason.
  var lacks: [WireFeature: String] { get }

  /// The credential that they send to the token provider, e.g. the key of a platform API. Nil for the provider's own
  /// secret.
  var providerSecret: String? { get }

  /// The flags that only these clients have, and the flags of keys that only they mint with.
  var flags: [Flag] { get }
  var keyFlags: [Flag] { get }

  /// Returns the clients' side of the wire format.
  func dialect(_ choice: ClientChoice, _ arguments: Arguments) throws -> any ClientDialect

  /// Returns the path at which they must ask for tokens; nil if any path will do.
  func providerPath(_ providerSecret: Credentials?) -> String?

  /// Returns the issuer for clients that mint their own tokens.
  func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer

  /// Returns an issuer whose tokens `signer` signs, with that `iss` and `aud`; nil if a gateway knows only the vendor's keys.
  func issuer(signing signer: JWTSigner, issuer: String, audience: String?) -> (any TokenIssuer)?
}

// Defaults.

extension ClientTool {
  package var sdks: [String] { [] }
  package var usualApplication: String? { nil }
  package var serviceDomains: [String] { [] }
  package var lacks: [WireFeature: String] { [:] }
  package var providerSecret: String? { nil }
  package var flags: [Flag] { [] }
  package var keyFlags: [Flag] { [] }
  package func issuer(signing signer: JWTSigner, issuer: String, audience: String?) -> (any TokenIssuer)? { nil }
  package func providerPath(_ providerSecret: Credentials?) -> String? { nil }

  /// Returns a signer with the key that flags name. Vendors sign with secrets of any length, so short ones are
  /// accepted.
  package func signer(_ arguments: Arguments, allowsShortSecret: Bool = true) throws -> JWTSigner {
    guard let signer = try TokenKeys(arguments, allowsShortSecret: allowsShortSecret)?.signer() else {
      throw UsageError("--mint needs a key that can sign: --secret-file, POSTERN_SECRET or --key-file")
    }
    return signer
  }
}
