import Foundation
import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayStores
import PosternTesting

/// What the flags of `postern serve` ask for, checked.
struct ServeOptions {
  let settings: GatewaySettings
  let drainWindow: Duration
  let log: OperatorLog
  /// Whether no key was given that can mint, so that a random secret signs the tokens of guests and the provider.
  let hasRandomSecret: Bool

  private static let tlsFileSizeMax = 1 << 20
  private static let loopback: Set<String> = ["127.0.0.1", "::1", "localhost"]

  init(_ arguments: Arguments) throws {
    var tokenKeys = try TokenKeys(arguments) ?? TokenKeys()
    hasRandomSecret = try tokenKeys.signer() == nil
    if hasRandomSecret { try tokenKeys.addOwnKey() }
    let provider = try Self.provider(arguments)
    let verifier = try tokenKeys.verifier(try TokenKeys.policy(arguments))
    guard let signer = try tokenKeys.signer() else { preconditionFailure("a secret of our own can sign") }
    let configuration = try Self.configuration(arguments)
    let own = OwnKeys(verifier: verifier, signer: signer, secret: try TokenKeys.secret(arguments))
    let vendors = try Vendors.all.map { vendor -> any VendorSettings in try vendor.settings(arguments, own) }
    var settings = GatewaySettings(
      SpaceSettings(
        configuration: configuration, vendors: vendors,
        issuer: PlainTokenIssuer(
          signer: signer, issuer: arguments.string("issuer"), audience: arguments.string("audience")),
        provider: provider))
    try Self.readAddresses(arguments, into: &settings)
    settings.limits = try Self.limits(arguments)
    settings.loops =
      try arguments.int("loops", in: 1...256) ?? max(1, min(ProcessInfo.processInfo.activeProcessorCount, 256))
    if let value = arguments.value("store") {
      guard let store = StoreChoice(value.text) else {
        throw UsageError(value.source, value: value.text, expected: "memory, or sqlite: and the path of a file")
      }
      settings.store = store
    }
    settings.space.seed = try arguments.int("seed", in: 0 ... .max).map(UInt64.init)
    log = OperatorLog(
      level: try arguments.choice("log-level", LogLevel.self) ?? .info,
      format: try arguments.choice("log-format", OperatorLog.Format.self) ?? .text)
    settings.space.configuration.log = log.gateway
    settings.figures = { page in
      page.counter(
        "postern_log_lines_lost_total", "Lines of the log that standard error did not take in time.",
        Double(LineWriter.standardError.lost))
    }
    drainWindow = try arguments.duration("drain-window") ?? .seconds(5)
    self.settings = settings
  }

  private static func readAddresses(_ arguments: Arguments, into settings: inout GatewaySettings) throws {
    let hosts = arguments.strings("host")
    settings.hosts = hosts.isEmpty ? ["127.0.0.1", "::1"] : hosts
    settings.skipsMissingHosts = hosts.isEmpty
    settings.port = try arguments.int("port", in: 0...65535) ?? 8080
    settings.controlHost = arguments.string("control-host") ?? "127.0.0.1"
    settings.controlPort = try arguments.int("control-port", in: 0...65535) ?? 8081
    settings.controlSecret = try arguments.secret("control-secret-file")
    settings.controlAllowedHosts = try arguments.values("control-allowed-host").map { value in
      guard Authority(value.text.contains(":") ? "[\(value.text)]" : value.text) != nil else {
        throw UsageError(value.source, value: value.text, expected: "a host's name or address, without a port")
      }
      return value.text
    }
    guard settings.controlSecret != nil || isLoopback(settings.controlHost) else {
      throw UsageError("--control-host \(settings.controlHost) is not loopback: give a --control-secret-file")
    }
    guard settings.space.provider.secret != nil || settings.hosts.allSatisfy(isLoopback) else {
      throw UsageError("the token provider mints for anybody: off loopback, give a --provider-secret-file")
    }
    switch (arguments.value("tls-certificate"), arguments.value("tls-key")) {
    case (nil, nil): break
    case (let certificate?, let key?):
      // What is in them is read, and judged, when the gateway starts, and again on SIGHUP.
      for file in [certificate, key] { _ = try InputFile.read(file.text, of: file.source, sizeMax: tlsFileSizeMax) }
      settings.tls = TLSFiles(certificatePath: certificate.text, keyPath: key.text)
    default: throw UsageError("--tls-certificate and --tls-key are given together, or neither")
    }
    settings.space.isSecure = settings.tls != nil
    settings.space.isLocal = settings.hosts.allSatisfy(isLoopback)
    let proxies = try arguments.values("trusted-proxy").map { value in
      guard let network = IPNetwork(value.text) else {
        throw UsageError(
          value.source, value: value.text, expected: "an address as 10.0.0.7, or a network as 10.0.0.0/8")
      }
      return network
    }
    settings.proxies = TrustedProxies(proxies)
    settings.speaksProxyProtocol = try arguments.isOn("proxy-protocol")
    guard !settings.speaksProxyProtocol || !proxies.isEmpty else {
      throw UsageError("--proxy-protocol believes named proxies only: give a --trusted-proxy")
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    loopback.contains(host) || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
  }

  private static func configuration(_ arguments: Arguments) throws -> GatewayConfiguration {
    let session: SessionPolicy
    do {
      session = try SessionPolicy(
        loginTimeout: arguments.duration("login-timeout") ?? .seconds(10),
        refreshTimeout: arguments.duration("refresh-timeout") ?? .seconds(60),
        refreshLead: arguments.duration("refresh-lead") ?? .zero,
        refreshSpread: arguments.duration("refresh-spread") ?? .zero,
        revocation: arguments.choice("revocation", SessionPolicy.RevocationAction.self) ?? .refresh,
        anyRefreshTimeout: arguments.isOn("any-refresh-timeout"))
    } catch let error as SessionPolicyError {
      throw UsageError("\(error) (--login-timeout, --refresh-timeout, --refresh-lead, --any-refresh-timeout)")
    }
    var configuration = GatewayConfiguration(session: session)
    if let interval = try arguments.duration("ping-interval") {
      configuration.pingInterval = interval == .zero ? nil : interval
    }
    if let timeout = try arguments.duration("pong-timeout") { configuration.pongTimeout = timeout }
    configuration.allowedOrigins = try AllowedOrigins.read(arguments.values("origin"))
    if let most = try arguments.int("revocations-max", in: 1...10_000_000) { configuration.revocationsMax = most }
    configuration.offersEcho = try arguments.isOn("echo")
    return configuration
  }

  private static func limits(_ arguments: Arguments) throws -> ServerLimits {
    var limits = ServerLimits()
    limits.connectionsMax = try arguments.int("connections-max", in: 1...10_000_000) ?? 50_000
    limits.connectionsPerSecond = try arguments.number("connection-rate", in: 0.1...1_000_000)
    if let bytes = try arguments.int("message-bytes-max", in: 125...(64 << 20)) { limits.messageBytesMax = bytes }
    if let bytes = try arguments.int("body-bytes-max", in: 0...(64 << 20)) { limits.bodyBytesMax = bytes }
    if let bytes = try arguments.int("header-bytes-max", in: 1024...32_000) { limits.headerBytesMax = bytes }
    if let bytes = try arguments.int("outbound-bytes-max", in: 1024...(1 << 30)) { limits.outboundBytesMax = bytes }
    return limits
  }

  private static func provider(_ arguments: Arguments) throws -> TokenProviderPolicy {
    do {
      return try TokenProviderPolicy(
        latency: arguments.duration("provider-latency") ?? .zero,
        concurrency: arguments.int("provider-concurrency", in: 1...1_000_000),
        queueMax: arguments.int("provider-queue-max", in: 0...10_000_000) ?? 100_000,
        failureRate: arguments.share("provider-failure-rate") ?? 0,
        defaultLife: arguments.duration("token-life") ?? .seconds(3600),
        secret: arguments.secret("provider-secret-file").map { Credentials(token: $0) })
    } catch let error as TokenProviderPolicyError {
      throw UsageError("\(error) (--token-life and the --provider flags)")
    }
  }
}
