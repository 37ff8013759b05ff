import GatewayCore
import GatewayKit
import GatewayTokens
import GatewayWires

/// The wire format of a storm's clients, and the source of their tokens.
struct StormDialect {
  let client: any ClientDialect
  /// The path of the token endpoint, below the provider's address.
  let providerPath: String
  /// Whether the provider may have another path.
  let mayMoveProvider: Bool
  private let tool: any ClientTool
  private let choice: ClientChoice

  private static let ownProvider = "/v1/tokens"

  /// - Parameters:
  ///   - draft: The storm's flags.
  ///   - arguments: The flags, of which vendors read their own.
  init(_ draft: StormDraft, _ arguments: Arguments) throws {
    let vendor = try Vendors.named(by: draft.namedDialect)
    tool = vendor.clients
    // The flags of vendors are for the fleets that speak their dialects.
    let played = try [vendor] + draft.fleets.map { try Vendors.named(by: draft.dialect(of: $0)) }
    let hasApplication = played.contains { $0.clients.usualApplication != nil }
    let unused = [tool.sdks.isEmpty ? draft.namedSDK : nil, hasApplication ? nil : draft.application]
    if let value = unused.compactMap(\.self).first { throw value.meaningless(with: "dialect", vendor.scheme) }
    let others = Vendors.all.filter { other in !played.contains { $0 == other } }
    try arguments.refuse(others.flatMap { $0.clients.flags.map(\.name) }, with: "dialect", vendor.scheme)
    let secret = try draft.providerSecret.map { Credentials(token: try $0.secret()) }
    choice = ClientChoice(
      sdk: draft.namedSDK, application: tool.usualApplication == nil ? nil : draft.application?.text,
      providerSecret: secret)
    let ownClient = try tool.dialect(choice, arguments)
    if let file = draft.wire {
      if let dialect = draft.dialect { throw dialect.meaningless(with: "wire", file.text) }
      let secrets = try TemplateSecrets.read(draft.templateSecrets)
      let wire = try WireFile.read(file)
      if let reason = wire.proxyOnly { throw UsageError("\(reason)") }
      client = DescribedClientDialect(wire, provider: ownClient, secrets: secrets)
    } else {
      client = ownClient
    }
    let path = tool.providerPath(secret)
    providerPath = path ?? Self.ownProvider
    mayMoveProvider = path == nil
  }

  /// Returns the issuer for clients that mint their own tokens.
  func issuer(_ arguments: Arguments) throws -> any TokenIssuer {
    try tool.issuer(choice, arguments)
  }

  /// Returns a function that makes issuers of tokens with that `iss` and `aud`, for keys that change.
  func issuers(issuer: String, audience: String?) throws -> @Sendable (JWTSigner) -> any TokenIssuer {
    let tool = tool
    let scratch = try JWTSigner(.secret([UInt8](repeating: 0x30, count: 32)))
    guard tool.issuer(signing: scratch, issuer: issuer, audience: audience) != nil else {
      throw UsageError(
        "--serve-jwks: the tokens of --dialect \(client.name) are signed with the vendor's own keys; it is for plain and "
          + "for --wire")
    }
    return { signer in tool.issuer(signing: signer, issuer: issuer, audience: audience) ?? Unsigned() }
  }

  /// In place of an issuer that a tool had a moment ago.
  private struct Unsigned: TokenIssuer {
    func mint(
      user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
    ) -> Credentials { Credentials(token: "") }
  }

  /// The time in which clients reconnect by themselves. It covers the 35 s for which a JavaScript client is silent after a
  /// close with 1000, and the waits of several attempts.
  var comeback: Duration {
    guard let comeback = client.habits.comeback else { return .zero }
    let silence = comeback.heedsNormalClose ? client.habits.keepAlive?.limit ?? .zero : .zero
    return silence + .seconds(60)
  }
}
