import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayServer
import Glibc

/// The command `postern worker`: an HTTP server on another machine that carries out parts of storms.
enum WorkerCommand: Command {
  static let name = "worker"
  static let summary = "run parts of a storm on this machine, as postern storm --worker orders"
  static let example = """
    postern worker --listen 10.0.0.7:7300 --secret-file secret \\
        --tls-certificate worker.crt --tls-key worker.key
    """
  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var address: Arguments.Value?
    var secret: String?
    var tls = CertificateFlags()
    var partsMax = 16
    var isOnce = false
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option(
      "listen", "HOST:PORT", "the address to listen on for orders, port 0 for a free one (default 127.0.0.1:7300)",
      \.address,
      .asGiven)
    Option(
      "secret-file", "FILE",
      "the file with the secret that the storm sends (its --worker-secret-file), at least 16 characters"
    ) { value, draft in draft.secret = try WorkerSecret.read(value, of: "--secret-file") }
    Option(
      "tls-certificate", "FILE",
      "the worker's certificate chain, PEM; SIGHUP reads it again; required if --listen is not on loopback",
      \.tls.certificate, .asGiven)
    Option("tls-key", "FILE", "the private key of --tls-certificate, PEM", \.tls.key, .asGiven)
    Option(
      "parts-max", "N", "how many parts of one storm run at once, one process each (default 16)", \.partsMax,
      .int(1...256))
    Option("once", "end after the first storm, e.g. as a job of a cluster", \.isOnce)
  }

  /// The time that parts have to tell what they came to when the worker ends.
  private static let farewell = Duration.seconds(10)

  /// The maximum number of open connections without a part. A new connection replaces one that has sent no request.
  private static let othersMax = 64

  /// The descriptors for the connections, and three pipes for each part.
  private static let descriptors = 4_096

  /// An event that ends the worker's wait.
  private enum News {
    case signal(Int32)
    case stormOver
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let tls = try draft.tls.files("tls")
    let address =
      try draft.address.map { try WorkerAddress(listeningOn: $0, isTLS: tls != nil) } ?? WorkerAddress.usual
    guard let secret = draft.secret else {
      throw UsageError(
        "--secret-file is needed: only storms that send this secret may use the worker; give a file with at least 16 characters"
      )
    }
    guard tls != nil || address.isLoopback else {
      throw UsageError(
        "--listen \(address) is not loopback, and the secret goes there: give --tls-certificate and --tls-key")
    }
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    let parts = WorkerParts(partsMax: draft.partsMax) { tell.yield(.stormOver) }
    let signals = SignalStream([SIGINT, SIGTERM, SIGHUP])
    let watch = Task { for await signal in signals { tell.yield(.signal(signal)) } }
    defer { watch.cancel() }
    _ = DescriptorLimit.raised(to: descriptors)
    let settings = settings(address, tls, partsMax: draft.partsMax)
    let loop = SocketLoop(index: 0, limits: settings.limits)
    try loop.start()
    defer { loop.stop() }
    let listener: Listener
    do {
      listener = try await Listener.start(settings, serving: WorkerSite(parts, secret: secret), on: [loop])
    } catch {
      throw UsageError("--listen \(address): \(error)")
    }
    Output.line(#"{"event":"ready","host":"\#(address.host)","pid":\#(getpid()),"port":\#(listener.port)}"#)
    await live(news, listener, isOnce: draft.isOnce)
    // While it waits for the parts' end, a signal ends it like any program.
    signals.end()
    parts.end()
    await listener.stopAccepting()
    await listener.finishRequests(within: farewell)
    return 0
  }

  /// Waits until the worker must end.
  private static func live(_ news: AsyncStream<News>, _ listener: Listener, isOnce: Bool) async {
    for await one in news {
      switch one {
      case .signal(SIGHUP):
        do {
          try await listener.reloadCertificate()
        } catch {
          Output.error("worker: the certificate stays as it is: \(error)")
        }
      case .signal: return
      case .stormOver: if isOnce { return }
      }
    }
  }

  private static func settings(_ address: WorkerAddress, _ tls: TLSFiles?, partsMax: Int) -> Listener.Settings {
    var settings = Listener.Settings(host: address.host, port: Int(address.port))
    settings.tls = tls
    // Enough for the head of a request. Orders are larger, from storms that know the secret.
    settings.limits.bodyBytesMax = 1024
    settings.limits.connectionsMax = othersMax + partsMax
    settings.unreadMakesRoom = true
    return settings
  }
}
