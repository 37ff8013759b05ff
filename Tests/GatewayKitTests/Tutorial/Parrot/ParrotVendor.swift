import GatewayCore
import GatewayKit
import GatewayTokens

/// The parrot's part of a gateway: its socket at `/parrot/perch`, its words and its HTTP API.
struct ParrotVendor: Vendor {
  let bindings: [DialectBinding]
  let issuers: [String: any TokenIssuer]
  let cage: ParrotCage
  let services: any GatewayServices
  private let authenticator: ParrotAuthenticator

  init(_ settings: ParrotSettings, on ground: Ground) {
    services = ground.services
    cage = ParrotCage(ground.store, wordsMax: settings.wordsMax)
    authenticator = ParrotAuthenticator(verifier: settings.verifier)
    bindings = [DialectBinding(ParrotDialect(), authenticator, commands: ParrotCommands(cage: cage))]
    issuers = [ParrotDialect.name: ParrotTokenIssuer(signer: settings.signer)]
  }

  func routes(with provider: TokenProvider) -> [HTTPRoute] {
    ParrotRoutes(cage: cage, authenticator: authenticator, provider: provider, services: services).routes
  }
}

/// The settings of the parrot: the keys of its tokens and the number of words.
struct ParrotSettings: VendorSettings {
  var verifier: JWTVerifier
  var signer: JWTSigner
  var wordsMax = 1_000

  func vendor(on ground: Ground) -> ParrotVendor { ParrotVendor(self, on: ground) }
}
