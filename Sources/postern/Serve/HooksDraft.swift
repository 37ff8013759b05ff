import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewayRuntime

/// The flags of `postern serve` for questions to the application's own backend.
struct HooksDraft: Sendable {
  private var connect: Arguments.Value?
  private var refresh: Arguments.Value?
  private var commands: Arguments.Value?
  private var signing: HookSecret?
  private var bearer: String?
  private var judge: HookSettings.Judge?
  private var refresher: HookSettings.Refresher?
  private var headers: [String] = []
  private var dialects: Set<Name> = []
  private var mayRename = false
  private var sendsToken = false
  private var timeout: Duration?
  private var grace: Duration?
  private var graceMax: GraceMax?
  private var recoverRate: Int?

  /// The longest grace, or none.
  private enum GraceMax: Sendable {
    case never
    case of(Duration)
  }

  @OptionList<HooksDraft>
  static var options: [Option<HooksDraft>] {
    Option(
      "hook-connect", "URL",
      "ask the application's backend about each client that connects, in the JSON of Centrifugo's connect proxy",
      \.connect, .asGiven)
    Option(
      "hook-refresh", "URL",
      "ask the backend whether a session goes on, in the JSON of Centrifugo's refresh proxy; sessions stay while it is away",
      \.refresh, .asGiven)
    Option(
      "hook-commands", "URL",
      "ask the backend about each join of a call, in the JSON of Centrifugo's subscribe proxy", \.commands, .asGiven)
    Option(
      "hook-secret-file", "FILE",
      "the secret that signs the questions (Standard Webhooks): whsec_ and 16 to 64 bytes in base64"
    ) { value, draft in
      guard let secret = HookSecret(try value.secret()) else {
        throw UsageError("\(value.source): the file has no secret of whsec_ and 16 to 64 bytes in base64")
      }
      draft.signing = secret
    }
    Option(
      "hook-bearer-file", "FILE", "the token that the questions carry as Authorization: Bearer", \.bearer, .secret)
    Option(
      "hook-judge", "after|instead",
      "whether the backend is asked after a client's token has been verified, or judges alone (default after)",
      \.judge, .choice)
    Option(
      "hook-refresh-by", "client|gateway",
      "whether the backend is asked when a client presents another token, or before the client would be asked for one (default client)",
      \.refresher, .choice)
    Option(
      "hook-header", "NAME", "a header field of the upgrade that the backend gets too, e.g. cookie", repeats: true
    ) { value, draft in draft.headers.append(try Self.header(value)) }
    Option(
      "hook-dialect", "NAME", "a dialect whose clients the backend is asked about (default all)", repeats: true
    ) { value, draft in draft.dialects.insert(Name(value.text)) }
    Option(
      "hook-may-rename",
      "let --hook-connect name a client of the plain scheme otherwise than its token does",
      \.mayRename)
    Option(
      "hook-send-token",
      "send the client's token to the backend too; only to https addresses",
      \.sendsToken)
    Option(
      "hook-timeout", "DURATION", "how long one question may take, its repetition included (default 3s; 100ms to 9s)",
      \.timeout, Self.between(.milliseconds(100), .seconds(9), "100ms to 9s"))
    Option(
      "hook-grace", "DURATION",
      "how long a session goes on while --hook-refresh or --hook-connect cannot be asked, again and again (default 60s; 10s to 10m)",
      \.grace, Self.between(.seconds(10), .seconds(600), "10s to 10m"))
    Option(
      "hook-grace-max", "DURATION|never",
      "how long sessions go on so at most; then they are closed with 1013 over a minute (default 1h)"
    ) { value, draft in
      draft.graceMax = Name(value.text) == Name("never") ? .never : .of(try value.duration())
    }
    Option(
      "hook-recover-rate", "NUMBER",
      "how many postponed questions a second the backend is asked once it is back (default 200)", \.recoverRate,
      .int(1...100_000))
  }

  /// Whether one of the hooks is given.
  var isOn: Bool { connect != nil || refresh != nil || commands != nil }

  /// Returns the settings that the flags name; nil if they name no hook.
  ///
  /// - Parameters:
  ///   - tls: The files for TLS; nil for the system's.
  ///   - hasOrigins: Whether only named pages may connect.
  ///   - hasWire: Whether a described wire is served too.
  func settings(tls: TLSIdentity?, hasOrigins: Bool, hasWire: Bool) throws -> HookSettings? {
    guard isOn else {
      let isBare =
        signing == nil && bearer == nil && judge == nil && refresher == nil && headers.isEmpty && dialects.isEmpty
        && !mayRename && !sendsToken && timeout == nil && grace == nil && graceMax == nil && recoverRate == nil
      guard isBare else {
        throw UsageError("the other --hook-… flags are for --hook-connect, --hook-refresh or --hook-commands; give one")
      }
      return nil
    }
    var settings = HookSettings()
    settings.connect = try connect.map(Self.address)
    settings.refresh = try refresh.map(Self.address)
    settings.commands = try commands.map(Self.address)
    settings.secrets = HookSettings.Secrets(signing: signing, bearer: bearer)
    settings.tls = tls
    settings.headers = headers
    if let timeout { settings.timeout = timeout }
    settings.dialects = dialects
    try takeContents(into: &settings)
    try takeJudge(into: &settings, hasOrigins: hasOrigins, hasWire: hasWire)
    try takeRefresh(into: &settings)
    return settings
  }

  private func takeContents(into settings: inout HookSettings) throws {
    if mayRename, connect == nil { throw UsageError("--hook-may-rename is of --hook-connect; give it") }
    settings.mayRename = mayRename
    if sendsToken {
      for address in [settings.connect, settings.refresh] {
        guard let address, !address.isTLS else { continue }
        throw UsageError("--hook-send-token: \(address.text) is plain http; tokens go over https only")
      }
      guard connect != nil || refresh != nil else {
        throw UsageError("--hook-send-token is of --hook-connect and --hook-refresh; give one")
      }
    }
    settings.sendsToken = sendsToken
  }

  private func takeJudge(into settings: inout HookSettings, hasOrigins: Bool, hasWire: Bool) throws {
    if let judge {
      guard connect != nil else { throw UsageError("--hook-judge is of --hook-connect; give it") }
      settings.judge = judge
    }
    if settings.judge == .instead {
      guard !headers.isEmpty else {
        throw UsageError(
          "--hook-judge instead: the backend would know nothing of a client; give a --hook-header, e.g. cookie")
      }
      guard !hasWire else {
        throw UsageError("--hook-judge instead is for the plain scheme; the clients of --wire keep their tokens")
      }
    }
    guard hasOrigins || !headers.contains(where: { Name($0) == Name("cookie") }) else {
      throw UsageError(
        "--hook-header cookie: any web page could connect as its visitor; name the pages that may with --origin")
    }
  }

  private func takeRefresh(into settings: inout HookSettings) throws {
    guard refresh != nil || refresher == nil else {
      throw UsageError("--hook-refresh-by is of --hook-refresh; give it")
    }
    guard refresh != nil || connect != nil || (grace == nil && graceMax == nil && recoverRate == nil) else {
      throw UsageError(
        "--hook-grace, --hook-grace-max and --hook-recover-rate are of --hook-connect or --hook-refresh; give one")
    }
    if let refresher { settings.refresher = refresher }
    if let grace { settings.grace = grace }
    if let recoverRate { settings.recoverRate = recoverRate }
    switch graceMax {
    case .never?: settings.graceMax = nil
    case .of(let duration)?: settings.graceMax = duration
    case nil: break
    }
  }

  private static func address(_ value: Arguments.Value) throws -> EndpointAddress {
    do throws(EndpointFault) {
      return try EndpointAddress(value.text)
    } catch {
      throw UsageError("\(value.source) \(value.text): \(error)")
    }
  }

  /// The fields that are the gateway's own, or of one connection only.
  private static let ownHeaders: [String] = [
    "accept", "authorization", "connection", "content-length", "content-type", "expect", "host", "keep-alive",
    "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "webhook-id", "webhook-signature",
    "webhook-timestamp",
  ]

  private static func header(_ value: Arguments.Value) throws -> String {
    let name = value.text.lowercased()
    let isToken =
      !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    guard isToken else { throw UsageError(value.source, value: value.text, expected: "the name of a header field") }
    guard !ownHeaders.contains(where: { Name($0) == Name(name) }) else {
      throw UsageError("\(value.source) \(value.text): this field is the gateway's own; name another")
    }
    return name
  }

  private static func between(_ least: Duration, _ most: Duration, _ expected: String) -> Reading<Duration> {
    Reading<Duration>.duration.map { duration, name in
      guard (least...most).contains(duration) else {
        throw UsageError("--\(name)", value: "\(duration)", expected: expected)
      }
      return duration
    }
  }
}
