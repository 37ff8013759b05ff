import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import GatewayServer
import GatewayTokens

/// The checked flags of the issuer that a storm serves.
struct IssuerOptions: Sendable {
  let host: String
  let port: Int
  let tls: TLSFiles?
  let wait: Duration
  let issuer: StormIssuer

  /// Checks the flags; nil if none asks for an issuer.
  ///
  /// - Parameters:
  ///   - draft: The storm's flags.
  ///   - plan: The storm's plan.
  ///   - arguments: The flags, of which those of keys and claims are read here.
  ///   - dialect: The clients' wire format; nil without a gateway.
  ///   - isPart: Whether this process is a part of a storm.
  init?(
    _ draft: StormDraft, _ plan: StormPlan, _ arguments: Arguments, _ dialect: StormDialect?, isPart: Bool
  ) throws {
    let flags = draft.issuer
    guard let value = flags.address else {
      if let source = flags.needy.first { throw UsageError("\(source) needs --serve-jwks, whose keys it is about") }
      return nil
    }
    guard draft.mints, let dialect else {
      throw UsageError("--serve-jwks needs --mint: it serves the keys of tokens that the clients mint")
    }
    guard draft.several == nil else {
      throw UsageError("--serve-jwks is for one fleet, and --scenario has several")
    }
    guard !isPart, draft.workers.addresses.isEmpty, (draft.processes ?? 1) == 1 else {
      throw UsageError(
        "--serve-jwks is for a storm of one process; leave --processes and --worker out (--loops may be given)")
    }
    do {
      try plan.check()
    } catch {
      throw UsageError("\(error)")
    }
    tls = try flags.tls.files("jwks-tls")
    let address = try WorkerAddress(listeningOn: value, isTLS: tls != nil)
    guard address.port > 0 else {
      throw UsageError("--serve-jwks \(value.text): the gateway must know the port; give one that is free")
    }
    guard tls != nil || address.isLoopback else {
      throw UsageError(
        "--serve-jwks \(address) is not loopback: give --jwks-tls-certificate and --jwks-tls-key, since a gateway that "
          + "takes keys without TLS takes anybody's")
    }
    (host, port) = (address.host, Int(address.port))
    wait = flags.wait?.value ?? .zero
    let policy = try TokenPolicyDraft(arguments)
    let own = "\(tls == nil ? "http" : "https")://\(address)"
    var rules = IssuerRules(issuer: policy.issuer ?? own, address: own)
    rules.limit = flags.limit?.value
    rules.rotate = flags.rotate?.value
    rules.overlap = flags.overlap?.value ?? max(plan.life, plan.expiresAfter)
    rules.ahead = flags.ahead?.value ?? .zero
    rules.latency = flags.latency?.value ?? .zero
    rules.maxAge = flags.maxAge?.value ?? rules.maxAge
    rules.forged = flags.forged?.value ?? 0
    rules.introspects = flags.introspects?.value ?? false
    rules.seed = plan.seed
    if rules.introspects, let source = flags.aboutKeys.first {
      throw UsageError("\(source) is about keys, and the opaque tokens of --serve-introspection have none")
    }
    if rules.rotate == nil, let source = (flags.overlap ?? flags.ahead)?.source {
      throw UsageError("\(source) needs --jwks-rotate: without it there is one key")
    }
    try Self.check(rules, plan)
    let make = try dialect.issuers(issuer: rules.issuer, audience: policy.audience)
    let given = try TokenKeys(arguments)?.signingKey
    guard given?.isOnP256 ?? true else {
      throw UsageError(
        "--serve-jwks signs with ES256: the key must be a private key on P-256 (--key-file), or be left out")
    }
    do throws(KeyError) {
      let state = try IssuerState(
        rules, given: given, run: StormOptions.newRun(), secrets: .system, at: SystemTime.now, tokens: make)
      issuer = StormIssuer(rules, state)
    } catch {
      throw UsageError("--serve-jwks: \(error)")
    }
  }

  private static func check(_ rules: IssuerRules, _ plan: StormPlan) throws {
    for (name, time) in [("overlap", rules.overlap), ("ahead", rules.ahead), ("latency", rules.latency)]
    where time > longest { throw UsageError("--jwks-\(name)", value: "\(time)", expected: "30d or less") }
    guard let rotate = rules.rotate else { return }
    guard rules.ahead <= rotate else {
      throw UsageError("--jwks-ahead is longer than --jwks-rotate; a key is made once the one before it signs")
    }
    let most = rules.keys(within: plan.end(timeout: nil))
    guard most <= Double(IssuerRules.keysMax) else {
      throw UsageError(
        "--jwks-rotate: the set would have \(Figures.count(Int(min(most, 1e9)))) keys at one time, and has at most "
          + "\(IssuerRules.keysMax); give a shorter --jwks-overlap or --life")
    }
  }

  private static let longest = Duration.seconds(30 * 86_400)
}
