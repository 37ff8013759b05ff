import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewayRuntime
import GatewayServer
import GatewayTokens

/// The flags of `postern serve` for the application's own login.
struct IdentityDraft: Sendable {
  private var jwks: Arguments.Value?
  private var oidc: Arguments.Value?
  private var authorities: Arguments.Value?

  @OptionList<IdentityDraft>
  static var options: [Option<IdentityDraft>] {
    Option(
      "jwks", "URL",
      "where the keys of --issuer are, whose tokens the plain scheme takes: a JWK set, fetched in the background",
      \.jwks, .asGiven)
    Option(
      "oidc", "URL", "the issuer whose tokens the plain scheme takes; its discovery document says where its keys are",
      \.oidc, .asGiven)
    Option(
      "identity-ca", "FILE", "the authorities of its certificates, PEM (default: those of the system)", \.authorities,
      .asGiven)
  }

  /// Returns the issuer that the flags name, beside the gateway's own keys; nil if they name none.
  func issuer(besides own: JWTVerifier) throws -> FetchedIssuer? {
    let name: String
    let value: Arguments.Value
    switch (jwks, oidc) {
    case (nil, nil):
      if authorities != nil { throw UsageError("--identity-ca is for --jwks or --oidc; give one") }
      return nil
    case (_?, _?): throw UsageError("--jwks and --oidc are both given; --oidc finds the keys by itself")
    case (let jwks?, nil): (name, value) = ("jwks", jwks)
    case (nil, let oidc?): (name, value) = ("oidc", oidc)
    }
    var policy = own.policy
    if name == "oidc" {
      guard policy.issuer == nil else { throw UsageError("--oidc is the issuer already; leave --issuer out") }
      policy.issuer = Name(value.text)
    }
    guard policy.issuer != nil else {
      throw UsageError("--jwks needs --issuer, the iss of the tokens that its keys sign")
    }
    let caPath = try authoritiesPath()
    do throws(EndpointFault) {
      let place: IssuerSettings.Place = name == "jwks" ? .keys(try EndpointAddress(value.text)) : .discovery
      var settings = try IssuerSettings(name: name, place, policy: policy)
      settings.caPath = caPath
      return FetchedIssuer(settings, besides: own)
    } catch {
      throw UsageError("\(value.source) \(value.text): \(error)")
    }
  }

  /// Warns of an issuer whose tokens for other applications are accepted too.
  static func warn(of issuer: FetchedIssuer?, _ log: GatewayLog) {
    guard let settings = issuer?.settings, settings.policy.audiences.isEmpty else { return }
    log.note(
      .warning, "any_audience",
      ["issuer": settings.name, "hint": "a token for any other application of this login is accepted; see --audience"])
  }

  private func authoritiesPath() throws -> String? {
    guard let file = authorities else { return nil }
    do throws(ServerError) {
      try TLSIdentity(caPath: file.text).check()
    } catch {
      throw UsageError("\(file.source): \(error)")
    }
    return file.text
  }
}
