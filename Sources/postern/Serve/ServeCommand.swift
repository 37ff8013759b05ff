import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayStores
import Glibc
import PosternTesting
import Synchronization

/// The command `postern serve`: the gateway.
enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "the gateway: all dialects on one port, control API and metrics on another"
  static let example = "postern serve --secret-file secret --port 8080 --control-port 8081"
  static let sections = ServeFlags.sections
  static let neededFirst = [
    "port", "host", "control-port", "secret-file", "token-life", "refresh-timeout", "refresh-lead", "tls-certificate",
    "tls-key", "config",
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let options = try ServeOptions(arguments)
    let log = options.log
    LibraryLog.send { log.write(.warning, "libwebsockets", ["line": $0]) }
    let connectionsMax = options.settings.limits.connectionsMax
    let spacePorts = (options.settings.spaces?.countMax ?? 0) * options.settings.hosts.count
    let wanted = connectionsMax + spacePorts + DescriptorLimit.reserve
    let descriptors = DescriptorLimit.raised(to: wanted)
    let least = ServerLimits.descriptorsMin(loops: options.settings.loops)
    guard descriptors >= least else {
      throw ServerError.cannotStartLoop(
        "the system lets this process open \(descriptors) files and sockets, \(options.settings.loops) loops need "
          + "\(least) (ulimit -n)")
    }
    DescriptorTable.makeRoom(for: wanted)
    let signals = SignalStream([SIGTERM, SIGINT, SIGHUP])
    let kept = Mutex<String?>(nil)
    let running = try await RunningGateway.start(options.settings) { store, space in
      guard options.hasRandomSecret, options.settings.store != .memory else { return }
      let secret = try await KeptSecret.secret(in: store, at: SystemTime.now, from: space.secrets)
      kept.withLock { $0 = secret }
      space.sign(as: try ServeOptions(arguments, kept: secret).settings.space)
    }
    log.write(
      .info, "ready",
      [
        "version": Version.number, "port": String(running.port), "control_port": String(running.controlPort),
        "hosts": running.hosts.joined(separator: ","), "loops": String(options.settings.loops),
      ])
    if descriptors < wanted {
      // With the default limit this is only information: the system's limit has not been reached yet.
      let level = arguments.value("connections-max") == nil ? LogLevel.info : .warning
      log.write(level, "few_descriptors", ["limit": String(descriptors), "connections_max": String(connectionsMax)])
    }
    for silence in options.wireSilences { log.write(.warning, "wire_silence", ["wire": silence]) }
    if options.hasRandomSecret {
      log.write(.warning, "random_secret", ["hint": "only the built-in token provider can mint; see --secret-file"])
    }
    warnOfQueue(options.settings.space.provider, log)
    // Flushed first, so that the log of the start is complete when the ready line is read, even if the process is killed at
    // once.
    LineWriter.standardError.flush()
    // The gateway does not wait for its reader.
    LineWriter.standardOutput.add(try ReadyLine(running, options.settings).json() + "\n")
    let supervision = Supervision(ProcessEnvironment.variables, log)
    supervision.begin(running)
    let secret = kept.withLock { $0 }
    let (cause, window) = await waitForEnd(running, signals, options, supervision) {
      try options.readAnew(arguments, kept: secret)
    }
    supervision.stop(within: window + RunningGateway.requestPatience)
    await end(running, cause, over: window, log)
    LineWriter.standardError.flush()
    return 0
  }

  /// Warns if the provider's queue is longer than callers wait. Under load, every token would then come too late.
  private static func warnOfQueue(_ provider: TokenProviderPolicy, _ log: OperatorLog) {
    guard provider.abandoned == .serve, let wait = provider.longestWait, wait > usualPatience else { return }
    log.write(
      .warning, "provider_queue_beyond_time_outs",
      [
        "queue_max": String(provider.queueMax), "longest_wait_s": String(Int(wait.inSeconds.rounded())),
        "hint":
          "callers that wait 10 s get tokens too late from a queue of this length; see Docs/planning.md, --provider-queue-max, --provider-abandoned",
      ])
  }

  /// The usual timeout of clients for a token.
  private static let usualPatience = Duration.seconds(10)

  /// Waits for a signal, an order to drain or the end of standard input. Meanwhile SIGHUP reloads keys and the certificate.
  /// Returns the cause and the window of the drain.
  private static func waitForEnd(
    _ running: RunningGateway, _ signals: SignalStream, _ options: ServeOptions, _ supervision: Supervision,
    readingAnew: @escaping @Sendable () throws -> ServeOptions
  ) async -> (cause: String, window: Duration) {
    let configured = options.drainWindow
    return await withTaskGroup(of: (cause: String, window: Duration).self) { group in
      group.addTask {
        for await signal in signals {
          guard signal == SIGHUP else { return (signal == SIGTERM ? "SIGTERM" : "SIGINT", configured) }
          await supervision.reload(running) { await reload(running, options, readingAnew) }
        }
        return ("none", configured)
      }
      group.addTask {
        for await window in running.drainOrders {
          return ("control", window ?? configured)
        }
        return ("none", configured)
      }
      if options.endsWithInput {
        group.addTask {
          await InputEnd.wait()
          return ("input", configured)
        }
      }
      let order = await group.next() ?? ("none", configured)
      group.cancelAll()
      return order
    }
  }

  /// Reloads the keys of tokens and the certificate independently. If one cannot be read, the old one stays in use.
  private static func reload(
    _ running: RunningGateway, _ options: ServeOptions, _ readingAnew: @Sendable () throws -> ServeOptions
  ) async {
    let log = options.log
    do {
      try await running.renewKeys(by: readingAnew().settings)
      log.write(.info, "keys_reloaded")
    } catch {
      log.write(.error, "keys_kept", ["error": "\(error)"])
    }
    guard options.settings.tls != nil else { return }
    do {
      try await running.reloadCertificate()
      log.write(.info, "certificate_reloaded")
    } catch {
      log.write(.error, "certificate_kept", ["error": "\(error)"])
    }
  }

  /// Drains the gateway; a second signal ends everything at once.
  private static func end(
    _ running: RunningGateway, _ cause: String, over window: Duration, _ log: OperatorLog
  ) async {
    let impatience = SignalStream([SIGTERM, SIGINT])
    let before = await running.connectionCount()
    log.write(
      .info, "drain_begun", ["cause": cause, "window_s": String(window.inSeconds), "connections": String(before)])
    // Not a task group, which would wait for the drain in spite of a second signal.
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task {
      let unanswered = await running.drain(over: window)
      if unanswered > 0 { log.write(.warning, "requests_cut", ["count": String(unanswered)]) }
      end.yield()
    }
    Task {
      for await _ in impatience { end.yield() }
    }
    for await _ in ends { break }
    let left = await running.connectionCount()
    log.write(.info, "drain_ended", ["closed": String(max(0, before - left)), "cut_off": String(left)])
    await running.stop()
    log.write(.info, "stopped")
  }
}

/// The one line on standard output with the gateway's addresses, for the process that started it:
/// `{…,"event":"ready",…,"port":8080,…}`.
struct ReadyLine: Encodable {
  let event = "ready"
  let url: String
  let http_url: String
  let port: Int
  let control_url: String
  let control_port: Int
  let hosts: [String]
  let loops: Int
  let pid: Int32

  init(_ running: RunningGateway, _ settings: GatewaySettings) {
    let host = Self.literal(running.hosts[0])
    let letter = settings.tls == nil ? "" : "s"
    url = "ws\(letter)://\(host):\(running.port)"
    http_url = "http\(letter)://\(host):\(running.port)"
    port = running.port
    control_url = "http://\(Self.literal(settings.controlHost)):\(running.controlPort)"
    control_port = running.controlPort
    hosts = running.hosts
    loops = settings.loops
    pid = getpid()
  }

  /// Returns the host in the form for a URL.
  private static func literal(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  func json() throws -> String {
    try JSONCoder(layout: .sorted).text(self)
  }
}
