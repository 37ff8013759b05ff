internal import GatewayCore
internal import GatewayKit
internal import GatewayPlain
internal import GatewayRuntime
internal import GatewaySpace
internal import GatewayTokens
internal import TestTraits
import Testing

/// A rule of the gate in one dialect and one place.
package struct GateCase: CustomTestStringConvertible, Sendable {
  package let rule: GateRule
  package let dialect: any GateDialect
  package let place: TestPlace

  /// Returns every rule for these dialects, in each of the places; in a quick run only in virtual time.
  package static func all(_ dialects: any GateDialect..., in places: [TestPlace] = TestPlace.single) -> [GateCase] {
    let places = QuickRun.isOn ? [.virtualTime] : places
    return dialects.flatMap { dialect in
      GateRule.allCases.flatMap { rule in
        places.map { GateCase(rule: rule, dialect: dialect, place: $0) }
      }
    }
  }

  package var testDescription: String { "\(dialect.name), \(place.rawValue): \(rule.rawValue)" }

  /// Checks the rule. If the dialect is exempt from it, it must not hold.
  package func holds() async throws {
    guard let reason = dialect.exemptions[rule] else { return try await run() }
    await withKnownIssue("\(reason)") { try await run() }
  }

  private func run() async throws {
    let settings = try Self.settings(dialect, rule.policy(in: place), life: rule.life(in: place))
    try await place.run(settings) { [rule, dialect] world in
      try await dialect.prepare(world)
      try await rule.check(dialect, in: world)
    }
  }

  /// Returns the settings of a gateway with the dialect and the plain one, whose tokens have that life.
  static func settings(
    _ dialect: any GateDialect, _ session: SessionPolicy, life: Duration
  ) throws -> SpaceSettings {
    let secret = try KeyMaterial.secret(Array("a secret of thirty-two bytes, or more".utf8))
    let plain = PlainSettings(verifier: JWTVerifier(keys: try KeySet([VerificationKey(secret)])))
    return SpaceSettings(
      configuration: GatewayConfiguration(session: session),
      vendors: (try dialect.vendor(tokenLife: life)).map { [$0, plain] } ?? [plain],
      issuer: PlainTokenIssuer(signer: try JWTSigner(secret)), provider: try TokenProviderPolicy())
  }
}
