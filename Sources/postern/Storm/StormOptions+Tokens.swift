import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayRuntime
import GatewayWires

// The source of the clients' tokens, by the flags.

extension StormOptions {
  /// Returns the source of tokens.
  ///
  /// - Parameters:
  ///   - draft: The storm's flags.
  ///   - arguments: The flags, of which vendors read their own.
  ///   - dialect: The issuer for clients that mint; nil without a gateway.
  ///   - described: The description of the token endpoint, if there is one.
  ///   - provider: The provider's address, if a flag names it.
  ///   - gateway: The gateway, whose provider is the default.
  ///   - issuer: The issuer that the storm serves, if it serves one.
  static func tokens(
    _ draft: StormDraft, _ arguments: Arguments, _ dialect: StormDialect?, described: TokenDescription?,
    provider: StormAddress?, gateway: StormAddress?, issuer: StormIssuer?
  ) throws -> TokenSource {
    if let described {
      guard !draft.mints else {
        throw UsageError("--mint and --tokens are both given; remove one")
      }
      let below = provider ?? gateway.map { StormAddress($0.provider) }
      let places = try TokensFile.places(described, below: below, isInsecure: draft.isInsecure)
      return .endpoint(DescribedTokenEndpoint(described, base: provider?.path ?? ""), places: places)
    }
    guard let dialect, let gateway else {
      throw UsageError(
        "--provider-only needs --tokens, the description of the token endpoint: --tokens postern for POST /v1/tokens")
    }
    guard draft.mints else { return .provider(provider?.target ?? gateway.target, path: provider?.path) }
    guard provider == nil else { throw UsageError("--mint and --provider are both given; remove one") }
    if let issuer { return .minted(issuer) }
    return .minted(try dialect.issuer(arguments))
  }

  /// Rejects flags that do not apply to the endpoint, or contradict it.
  static func check(_ draft: StormDraft, _ plan: inout StormPlan, _ tokens: TokenDescription?) throws {
    guard plan.grants == nil || tokens?.showsTaken == true else {
      throw UsageError(
        "--scenario: \(GrantPlan.keys.joined(separator: ", ")) of \"client\" are for refresh tokens, and "
          + (tokens == nil ? "there are none without --tokens" : "no \"renew\" of --tokens shows one"))
    }
    if let sharers = tokens?.sharers {
      var grants = plan.grants ?? GrantPlan()
      if plan.grants == nil { grants.signedOut = .login }
      (grants.devices, grants.tabs) = sharers
      plan.grants = grants
    }
    guard let tokens else {
      guard let secret = draft.templateSecrets.last, draft.wire == nil else { return }
      throw UsageError("\(secret.source) is for {{secret.NAME}} in a description: --tokens or --wire")
    }
    if let secret = draft.providerSecret { throw secret.meaningless(with: "tokens", draft.tokens?.text ?? "") }
    if !tokens.takesEnds {
      let ends = [draft.life?.source, draft.jitter?.source, draft.expireAfter?.source]
      if let source = ends.compactMap(\.self).first { throw UsageError("\(source): \(Self.endpointChooses)") }
      if let expiry = draft.expiry, plan.expiry == .common {
        throw UsageError("\(expiry.source) common: \(Self.endpointChooses)")
      }
      plan.expiry = .own
    }
    if plan.behaviours.counts(of: plan.clients)[.refused] ?? 0 > 0, !tokens.namesUser {
      throw UsageError("--behaviour refused: the request of \(tokens.name) names no user, so none can be refused")
    }
  }

  private static let endpointChooses =
    "the endpoint chooses when tokens end, since no template of --tokens says {{life_s}}, {{end_s}} or {{end_ms}}; "
    + "with --provider-only, where nobody checks a token, the flag holds anyhow"

  /// Reads the description of the token endpoint. Without a gateway nobody checks a token, so the flags say when clients take
  /// theirs for ended.
  static func described(_ draft: StormDraft, wireTaken: [String]) throws -> TokenDescription? {
    guard let file = draft.tokens else { return nil }
    var described = try TokensFile.read(file, secrets: draft.templateSecrets, wireTaken: wireTaken)
    described.endsAsAsked = draft.isProviderOnly && draft.saysEnds && !described.saysEnds
    return described
  }

  /// Returns the plan as it was carried out. If the endpoint chose the tokens' lifetime, the plan has the measured one.
  func plan(after result: StormResult) -> StormPlan {
    guard fleets.isEmpty else {
      let plans = fleets.map { fleet in
        fleet.plan(after: result.fleet(named: fleet.plan.fleet?.name ?? "") ?? StormResult())
      }
      return .whole(plans, seed: plan.seed)
    }
    guard let described, !described.takesEnds, let life = result.tokens.longestLife else { return plan }
    var plan = plan
    plan.life = .seconds(life)
    return plan
  }

  /// Returns a caveat if the endpoint has fewer users than there are clients.
  static func caveats(_ tokens: TokenDescription?, _ plan: StormPlan) -> [String] {
    let early =
      tokens?.endsAsAsked == true
      ? ["the endpoint may give its tokens a later end; the clients took them for ended when the flags said"] : []
    let each = plan.grants?.clientsPerUser ?? 1
    let clients = (plan.clients + each - 1) / each
    guard let count = tokens?.userCount, count < clients else { return early }
    let several = (clients + count - 1) / count
    return early + [
      "\(Figures.count(clients)) clients, but \(Figures.count(count)) users: up to \(several) clients are one user"
    ]
  }
}

extension TokenSource {
  /// The targets that the clients ask for tokens.
  var targets: [DialTarget] {
    switch self {
    case .minted: []
    case .endpoint(_, let places): places
    case .provider(let target, _): [target]
    }
  }
}
