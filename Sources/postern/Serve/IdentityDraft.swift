import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewayRuntime
import GatewayServer
import GatewayTokens

/// The flags of `postern serve` for the application's own login.
struct IdentityDraft: Sendable {
  private var file: Arguments.Value?
  private var jwks: Arguments.Value?
  private var oidc: Arguments.Value?
  private var tls = IdentityTLSDraft()
  private var logout: [String] = []
  private var eventsFrom: Arguments.Value?
  private var eventsKeys: Arguments.Value?
  private var eventsAudience: [String] = []
  private var eventsSecret: String?
  private var takesRevocations = false
  private var introspection = IntrospectionDraft()
  private var hooks = HooksDraft()
  private var webhooks = WebhookSettings()

  @OptionList<IdentityDraft>
  static var options: [Option<IdentityDraft>] {
    Option(
      "jwks", "URL",
      "the JWK set with the keys of --issuer, whose tokens the plain scheme accepts; fetched in the background",
      \.jwks, .asGiven)
    Option(
      "oidc", "URL",
      "the OpenID issuer whose tokens the plain scheme accepts; its discovery document says where its keys are",
      \.oidc, .asGiven)
    Option(
      "identity", "FILE",
      "the issuers whose tokens the plain scheme accepts, where there are several or one needs more than --oidc says (JSON5)",
      \.file, .asGiven)
    IdentityTLSDraft.options.map { $0.of(\.tls) }
    Option(
      "logout", "CLIENT_ID",
      "accept logout tokens of the login for this client ID, at POST /identity/logout (OpenID back-channel logout)",
      repeats: true
    ) { value, draft in draft.logout.append(value.text) }
    Option(
      "events-from", "ISSUER",
      "the transmitter whose security events are accepted at POST /identity/events; its configuration says where its keys are",
      \.eventsFrom, .asGiven)
    Option(
      "events-audience", "AUDIENCE", "the aud that security events of --events-from must have", repeats: true
    ) { value, draft in draft.eventsAudience.append(value.text) }
    Option(
      "events-jwks", "URL", "the JWK set of --events-from, if it has no /.well-known/ssf-configuration", \.eventsKeys,
      .asGiven)
    Option(
      "events-secret-file", "FILE", "the file with the bearer secret that --events-from must send", \.eventsSecret,
      .secret)
    Option(
      "token-revocation",
      "let clients revoke the gateway's own tokens that they hold, at POST /identity/revoke (RFC 7009)",
      \.takesRevocations)
    IntrospectionDraft.options.map { $0.of(\.introspection) }
    HooksDraft.options.map { $0.of(\.hooks) }
    Option(
      "webhooks-to", "HOST:PORT",
      "a host that webhooks may be sent to; servers on this machine need none while the gateway is on loopback",
      repeats: true
    ) { value, draft in draft.webhooks.destinations.insert(try Self.destination(value)) }
  }

  /// Returns the issuers that the flags name, beside the gateway's own keys; nil if they name none.
  ///
  /// - Parameter hasCollector: Whether traces are sent, for which the files of TLS are too.
  func login(besides own: JWTVerifier, hasCollector: Bool) throws -> LoginIssuers? {
    let name: String
    let value: Arguments.Value
    switch (jwks, oidc, file) {
    case (nil, nil, nil):
      if let flag = tls.firstFlag, eventsFrom == nil, !introspection.isOn, !hooks.isOn, !hasCollector {
        throw UsageError(
          "--\(flag) is for --jwks, --oidc, --identity, --events-from, --introspection, --otlp or a hook; give one")
      }
      guard logout.isEmpty else { throw UsageError("--logout is of the login; give --oidc, or --jwks") }
      return nil
    case (nil, nil, let file?): return try issuers(in: file, besides: own)
    case (let jwks?, nil, nil): (name, value) = ("jwks", jwks)
    case (nil, let oidc?, nil): (name, value) = ("oidc", oidc)
    case (_?, _?, nil): throw UsageError("--jwks and --oidc are both given; --oidc finds the keys by itself")
    case (_, _, _?): throw UsageError("--identity has all issuers; leave --jwks and --oidc out")
    }
    var policy = own.policy
    if name == "oidc" {
      guard policy.issuer == nil else { throw UsageError("--oidc is the issuer already; leave --issuer out") }
      policy.issuer = Name(value.text)
    }
    guard policy.issuer != nil else {
      throw UsageError("--jwks needs --issuer, the iss of the tokens that its keys sign")
    }
    let files = try tls.identity()
    do throws(EndpointFault) {
      let place: IssuerSettings.Place = name == "jwks" ? .keys(try EndpointAddress(value.text)) : .discovery
      var settings = try IssuerSettings(name: name, place, policy: policy)
      settings.tls = files
      settings.logoutAudiences = logout.map { Name($0) }
      return LoginIssuers([settings], besides: own)
    } catch {
      throw UsageError("\(value.source) \(value.text): \(error)")
    }
  }

  private func issuers(in file: Arguments.Value, besides own: JWTVerifier) throws -> LoginIssuers {
    guard logout.isEmpty else {
      throw UsageError("--logout is of --oidc and --jwks; give \"logout\" to the issuers in \(file.text)")
    }
    guard own.policy.issuer == nil, own.policy.audiences.isEmpty else {
      throw UsageError("--issuer and --audience are of --oidc and --jwks; each issuer in \(file.text) has its own")
    }
    var issuers = try IdentityFile.issuers(in: file, policy: own.policy)
    let files = try tls.identity()
    for index in issuers.indices { issuers[index].tls = files }
    return LoginIssuers(issuers, besides: own, mayChange: true)
  }

  /// Returns the judge of opaque tokens that the flags name; nil if they name none.
  func introspector(of login: LoginIssuers?, besides own: JWTVerifier) throws -> Introspector? {
    // The endpoint is of one login: that of the flags, or the first of the file.
    try introspection.introspector(
      login?.issuers.first?.settings.policy ?? own.policy, tls: try tls.identity(), verifier: own)
  }

  /// Returns the questions to the application's backend that the flags name; nil if they name none. See
  /// ``HooksDraft/settings(tls:hasOrigins:hasWire:)``.
  func hookSettings(hasOrigins: Bool, hasWire: Bool) throws -> HookSettings? {
    try hooks.settings(tls: try tls.identity(), hasOrigins: hasOrigins, hasWire: hasWire)
  }

  /// Returns the files for TLS with the application's own servers; nil for the system's.
  func tlsIdentity() throws -> TLSIdentity? { try tls.identity() }

  /// Returns where webhooks may be sent.
  ///
  /// - Parameter isLocal: Whether only clients on this machine reach the gateway.
  func webhookSettings(isLocal: Bool) -> WebhookSettings {
    var settings = webhooks
    settings.allowsLoopback = isLocal
    return settings
  }

  private static func destination(_ value: Arguments.Value) throws -> WebhookSettings.Destination {
    guard let authority = Authority(value.text), let port = authority.port, (1...65_535).contains(port) else {
      throw UsageError(value.source, value: value.text, expected: "HOST:PORT, e.g. app.example:443")
    }
    return WebhookSettings.Destination(host: authority.host, port: port)
  }

  /// Returns the signals that the flags have taken, of the login and of others.
  func signals(of login: LoginIssuers?, besides own: JWTVerifier) throws -> SignalSettings {
    var signals = SignalSettings()
    signals.login = login
    signals.takesRevocations = takesRevocations
    signals.takesOpaqueTokens = introspection.isOn
    guard let from = eventsFrom else {
      guard eventsKeys == nil, eventsAudience.isEmpty, eventsSecret == nil else {
        throw UsageError("--events-audience, --events-jwks and --events-secret-file are for --events-from; give it")
      }
      return signals
    }
    guard !eventsAudience.isEmpty else {
      throw UsageError("--events-from needs --events-audience, what its events say in aud for this gateway")
    }
    let files = try tls.identity()
    var policy = TokenPolicy()
    policy.issuer = Name(from.text)
    policy.leeway = own.policy.leeway
    do throws(EndpointFault) {
      let place = try eventsKeys.map { (value) throws(EndpointFault) in
        IssuerSettings.Place.keys(try EndpointAddress(value.text))
      }
      var settings = try IssuerSettings(name: IdentityFile.transmitterName, place ?? .transmitter, policy: policy)
      settings.tls = files
      signals.transmitter = SignalSettings.Transmitter(
        FetchedIssuer(settings, for: JWTVerifier(keys: own.keys, policy: own.policy)),
        audiences: eventsAudience.map { Name($0) }, secret: eventsSecret)
    } catch {
      throw UsageError("\((eventsKeys ?? from).source) \((eventsKeys ?? from).text): \(error)")
    }
    return signals
  }

  /// Warns of issuers whose tokens for other applications are accepted too.
  static func warn(of login: LoginIssuers?, _ log: GatewayLog) {
    for issuer in login?.issuers ?? [] where issuer.settings.policy.audiences.isEmpty {
      log.note(
        .warning, "any_audience",
        [
          "issuer": issuer.settings.name,
          "hint": "a token for any other application of this login is accepted; see --audience",
        ])
    }
  }
}
