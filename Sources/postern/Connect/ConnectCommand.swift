import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayServer

/// The command `postern connect`: one client that stays connected and prints its events.
enum ConnectCommand: Command {
  static let name = "connect"
  static let summary = "one client that stays connected, answers refresh requests, and says what happens to it"
  static let example = "postern connect --user ann --url ws://127.0.0.1:8080"

  static let sections = [
    FlagSection(
      "flags",
      [
        Flag("user", "ID", "who connects (default ann)"),
        Flag("url", "URL", "the gateway (default ws://127.0.0.1:8080)"),
        Flag("provider", "URL", "the token provider (default: the gateway's own POST /v1/tokens)"),
        Flag("provider-secret-file", "FILE", "what the provider wants as a bearer token"),
        Flag("life", "DURATION", "how long the tokens live (default 1h)"),
        Flag("refreshes", "N", "leave after so many refreshes (default: stay)"),
        Flag("insecure", nil, "accept certificates that nobody the system trusts has signed"),
      ])
  ]

  private static let usualURL = Arguments.Value(text: "ws://127.0.0.1:8080", source: "--url")

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let setup = try setup(arguments)
    let refreshes = try arguments.int("refreshes", in: 1...1_000_000)
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
      if refreshed == refreshes { return 0 }
    }
    return 1
  }

  static func setup(_ arguments: Arguments) throws -> PlainClient.Setup {
    let isInsecure = try arguments.isOn("insecure")
    let gateway = try StormAddress(
      arguments.value("url") ?? usualURL, schemes: ("ws", "wss"), isInsecure: isInsecure)
    let provider = try arguments.value("provider").map {
      try StormAddress($0, schemes: ("http", "https"), isInsecure: isInsecure)
    }
    let paths = [nil, PlainDialect.path].map { $0.map { Name($0) } }
    guard paths.contains(gateway.path.map { Name($0) }), provider?.path == nil else {
      throw UsageError(
        "--url and --provider: the plain dialect has paths of its own; give addresses without one, or --url with \(PlainDialect.path)"
      )
    }
    let user = arguments.string("user") ?? "ann"
    guard (1...UserID.lengthMax).contains(user.utf8.count) else {
      throw UsageError("--user: a user's name has 1 to \(UserID.lengthMax) bytes")
    }
    return PlainClient.Setup(
      user: UserID(user), gateway: gateway.target, provider: provider?.target ?? gateway.target,
      providerSecret: try arguments.secret("provider-secret-file").map { Credentials(token: $0) },
      life: try arguments.duration("life") ?? .seconds(3600))
  }

  private static func text(_ news: PlainClient.News, _ setup: PlainClient.Setup) -> String {
    switch news {
    case .connected(let connection):
      "connected as \(setup.user): \(connection.map(\.description) ?? "without a name for the connection")"
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
