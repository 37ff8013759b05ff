package import GatewayCore
package import GatewayKit
package import GatewayTokens

/// The plain dialect's part of a gateway: its socket at `/v1/connect`, guests, calls and token provider.
package struct PlainVendor: Vendor {
  package let directory: PlainDirectory
  package let bindings: [DialectBinding]
  private let authenticator: any Authenticator
  private let verifier: JWTVerifier
  private let ground: Ground

  package init(_ settings: PlainSettings, on ground: Ground) {
    self.ground = ground
    directory = PlainDirectory(
      ground.store, limits: settings.limits, generator: SeededGenerator(seed: ground.seed))
    verifier = settings.verifier
    authenticator = PlainAuthenticator(
      verifier: settings.verifier, directory: directory, issuerKeys: settings.issuerKeys,
      introspector: settings.introspector)
    bindings = [PlainDialect.binding(authenticator, on: ground.executor)]
  }

  /// Replaces the key, which also signs the gateway's own tokens.
  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal {
    guard let fresh = settings as? PlainSettings else { return {} }
    let issuer = ground.issuer as? PlainTokenIssuer
    return { [verifier] in
      verifier.takeKeys(of: fresh.verifier)
      if let signer = fresh.signer { issuer?.takeKey(of: signer) }
    }
  }

  package func routes(with provider: TokenProvider) -> [HTTPRoute] {
    PlainRoutes(
      services: ground.services, directory: directory, authenticator: authenticator, issuer: ground.issuer,
      provider: provider, secrets: ground.secrets
    ).routes
  }
}

/// The settings of the plain dialect: its keys and limits.
package struct PlainSettings: VendorSettings {
  package var verifier: JWTVerifier
  /// The signer of the gateway's own tokens, if they use the same keys.
  package var signer: JWTSigner?
  /// The keys that are fetched from the tokens' issuer, which `verifier` has; nil for none.
  package var issuerKeys: (any IssuerKeys)?
  /// The judge of opaque tokens that another server has issued; nil for none.
  package var introspector: (any TokenIntrospector)?
  package var limits = PlainDirectoryLimits()

  package init(verifier: JWTVerifier) {
    self.verifier = verifier
  }

  package func vendor(on ground: Ground) -> PlainVendor { PlainVendor(self, on: ground) }
}

extension PlainVendor: OfferedVendor {
  package static let title = "the plain scheme"
  package static let scheme = "plain"
  package static var readers: [WireReader] { [WireReader(PlainDialect(), PlainClientDialect())] }
  package static let tokens: any TokenTool = PlainTokenTool()
  package static let clients: any ClientTool = PlainClientTool()

  package static func settings(_ arguments: Arguments, _ own: OwnKeys) -> PlainSettings {
    var settings = PlainSettings(verifier: own.issuerKeys?.verifier ?? own.verifier)
    settings.signer = own.signer
    settings.issuerKeys = own.issuerKeys
    settings.introspector = own.introspector
    return settings
  }
}
