import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayStores
import Glibc
import Synchronization

/// The command `postern serve`: the gateway.
enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "run the gateway: all dialects on one port, control API and metrics on another"
  static let example = "postern serve --secret-file secret --port 8080 --control-port 8081"
  static let sections = ServeFlags.sections
  static let neededFirst = [
    "port", "host", "control-port", "secret-file", "token-life", "refresh-timeout", "refresh-lead", "tls-certificate",
    "tls-key", "config",
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let options = try ServeOptions(arguments)
    let log = options.log
    LibraryLog.send { log.note(.warning, "libwebsockets", ["line": $0]) }
    let descriptors = try DescriptorRoom(for: options.settings)
    let signals = SignalStream([SIGTERM, SIGINT, SIGHUP])
    let kept = Mutex<String?>(nil)
    let running = try await RunningGateway.start(options.settings) { store, space in
      guard options.hasRandomSecret, options.settings.store != .memory else { return }
      let secret = try await KeptSecret.secret(in: store, at: SystemTime.now, from: space.secrets)
      kept.withLock { $0 = secret }
      space.sign(as: try ServeOptions(arguments, kept: secret).settings.space)
    }
    log.note(
      .info, "ready",
      [
        "version": Version.number, "port": String(running.port), "control_port": String(running.controlPort),
        "hosts": running.hosts.joined(separator: ","), "loops": String(options.settings.loops),
      ])
    if descriptors.allowed < descriptors.wanted {
      // With the default limit this is only information: the system's limit has not been reached yet.
      let level = options.namesConnectionsMax ? LogLevel.warning : .info
      log.note(
        level, "few_descriptors",
        [
          "limit": String(descriptors.allowed),
          "connections_max": String(options.settings.limits.connectionsMax),
        ])
    }
    for silence in options.wireSilences { log.note(.warning, "wire_silence", ["wire": silence]) }
    IdentityDraft.warn(of: options.settings.space.identity, log)
    if options.hasRandomSecret, options.settings.space.identity == nil {
      log.note(.warning, "random_secret", ["hint": "only the built-in token provider can mint; see --secret-file"])
    }
    warnOfQueue(options.settings.space.provider, log)
    // Before the ready line is written: an order to reload may follow it at once.
    let service = GatewayService(
      running, log, Supervision(ProcessEnvironment.variables, log), drainWindow: options.drainWindow)
    // Flushed first, so that the log of the start is complete when the ready line is read, even if the process is killed at
    // once.
    LineWriter.standardError.flush()
    // The gateway does not wait for its reader.
    LineWriter.standardOutput.add(try ReadyLine(running, options.settings).json() + "\n")
    StartMemory.release()
    let secret = kept.withLock { $0 }
    let isOrdered = await service.run(signals, inputEnd: options.endsWithInput ? InputEnd.wait : nil) {
      try options.readAnew(arguments, kept: secret).settings
    }
    LineWriter.standardError.flush()
    return isOrdered ? 0 : 1
  }

  /// Warns if the provider's queue is longer than callers wait. Under load, every token would then come too late.
  private static func warnOfQueue(_ provider: TokenProviderPolicy, _ log: GatewayLog) {
    guard provider.abandoned == .serve, let wait = provider.longestWait, wait > usualPatience else { return }
    log.note(
      .warning, "provider_queue_beyond_time_outs",
      [
        "queue_max": String(provider.queueMax), "longest_wait_s": String(Int(wait.inSeconds.rounded())),
        "hint":
          "callers that wait 10 s get tokens too late from a queue of this length; see Docs/planning.md, --provider-queue-max, --provider-abandoned",
      ])
  }

  /// The usual timeout of clients for a token.
  private static let usualPatience = Duration.seconds(10)
}
