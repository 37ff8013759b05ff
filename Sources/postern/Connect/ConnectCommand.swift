import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayServer

/// The command `postern connect`: one client that stays connected and prints its events.
enum ConnectCommand: Command {
  static let name = "connect"
  static let summary = "connect one client, which answers refresh requests and prints what happens to it"
  static let example = "postern connect --user ann --url ws://127.0.0.1:8080"

  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var user = "ann"
    var url = usualURL
    var tokenFile: Arguments.Value?
    var provider: Arguments.Value?
    var providerSecret: Credentials?
    var life = Duration.seconds(3600)
    var refreshes: Int?
    var isInsecure = false
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option("user", "ID", "the user who connects (default ann)", \.user, .text)
    Option("url", "URL", "the gateway's address (default ws://127.0.0.1:8080)", \.url, .asGiven)
    Option(
      "token-file", "FILE",
      "present the token in this file, which is read again at each refresh request; - is standard input, a token in each line",
      \.tokenFile, .asGiven)
    Option(
      "provider", "URL", "the token provider's address (default: the gateway's own POST /v1/tokens)", \.provider,
      .asGiven)
    Option(
      "provider-secret-file", "FILE", "the file with the bearer token that the token provider requires",
      \.providerSecret,
      Reading<String>.secret.map { secret, _ in Credentials(token: secret) })
    Option("life", "DURATION", "how long the client's tokens are valid (default 1h)", \.life, .duration)
    Option(
      "refreshes", "N", "disconnect after this many refreshes (default: stay connected)", \.refreshes,
      .int(1...1_000_000))
    Option("insecure", "accept a server's certificate even if the system does not trust it", \.isInsecure)
  }

  private static let usualURL = Arguments.Value(text: "ws://127.0.0.1:8080", source: "--url")

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let setup = try setup(draft, arguments)
    let (news, continuation) = AsyncStream.makeStream(of: PlainClient.News.self)
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let client = PlainClient(setup, on: loop.events, dialer: SocketDialer(on: loop)) { continuation.yield($0) }
    Task { await client.connect() }
    var refreshed = 0
    for await item in news {
      switch item {
      case .failed(let reason):
        Output.error(reason)
        return 1
      case .closed(let code):
        Output.line("closed\(code.map { " with \($0)" } ?? " without a close frame")")
        return 1
      case .refreshed: refreshed += 1
      default: break
      }
      Output.line(text(item, setup))
      if refreshed == draft.refreshes { return 0 }
    }
    return 1
  }

  private static func setup(_ draft: Draft, _ arguments: Arguments) throws -> PlainClient.Setup {
    let gateway = try StormAddress(draft.url, schemes: ("ws", "wss"), isInsecure: draft.isInsecure)
    let provider = try draft.provider.map {
      try StormAddress($0, schemes: ("http", "https"), isInsecure: draft.isInsecure)
    }
    let paths = [nil, PlainDialect.path].map { $0.map { Name($0) } }
    guard paths.contains(gateway.path.map { Name($0) }), provider?.path == nil else {
      throw UsageError(
        "--url and --provider: the plain dialect has paths of its own; give addresses without one, or --url with \(PlainDialect.path)"
      )
    }
    if let file = draft.tokenFile {
      // In the environment or a file they may be meant for other commands.
      for name in ["user", "provider", "provider-secret-file", "life"] {
        guard arguments.given[name]?.contains(where: { $0.source == "--\(name)" }) != true else {
          throw UsageError("--token-file: no other token is fetched, and it says whose it is; leave --\(name) out")
        }
      }
      return PlainClient.Setup(
        user: nil, gateway: gateway.target, provider: gateway.target, providerSecret: nil, life: draft.life,
        tokens: try OwnTokens(file))
    }
    guard (1...UserID.lengthMax).contains(draft.user.utf8.count) else {
      throw UsageError("--user: a user's name has 1 to \(UserID.lengthMax) bytes")
    }
    return PlainClient.Setup(
      user: UserID(draft.user), gateway: gateway.target, provider: provider?.target ?? gateway.target,
      providerSecret: draft.providerSecret, life: draft.life)
  }

  private static func text(_ news: PlainClient.News, _ setup: PlainClient.Setup) -> String {
    switch news {
    case .connected(let connection):
      "connected\(setup.user.map { " as \($0)" } ?? ""): \(connection.map(\.description) ?? "without a name for the connection")"
    case .asked(let timeout): "asked for a new token\(timeout.map { " within \(seconds($0))" } ?? "")"
    case .refreshed: "refreshed on the same connection"
    case .error(let number, let name): "error \(number): \(name)"
    case .closing(let name): "closing: \(name)"
    case .closed, .failed: ""
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
