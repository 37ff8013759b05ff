import Foundation
import GatewayCore
import GatewayServer
import PosternTesting

/// The gateway.
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
    LibraryLog.send { LogLine.write("libwebsockets", ["line": $0]) }
    let connectionsMax = options.settings.limits.connectionsMax
    let descriptors = DescriptorLimit.raised(to: connectionsMax + DescriptorLimit.reserve)
    if descriptors < connectionsMax + DescriptorLimit.reserve {
      LogLine.write("few_descriptors", ["limit": String(descriptors), "connections_max": String(connectionsMax)])
    }
    let signals = SignalStream([SIGTERM, SIGINT, SIGHUP])
    let running = try await RunningGateway.start(options.settings)
    Output.line(try ReadyLine(running, options.settings).json())
    LogLine.write("ready", ["port": String(running.port), "control_port": String(running.controlPort)])
    if options.hasRandomSecret {
      LogLine.write("random_secret", ["hint": "only the built-in token provider can mint; see --secret-file"])
    }
    let window = await waitForEnd(running, signals, options.drainWindow)
    await end(running, over: window)
    return 0
  }

  /// Waits for a signal or an order to drain; reloads the certificate meanwhile. Returns the drain's window.
  private static func waitForEnd(
    _ running: RunningGateway, _ signals: SignalStream, _ configured: Duration
  ) async -> Duration {
    await withTaskGroup(of: Duration.self) { group in
      group.addTask {
        for await signal in signals {
          guard signal == SIGHUP else {
            LogLine.write("drain", ["cause": signal == SIGTERM ? "SIGTERM" : "SIGINT"])
            return configured
          }
          await reload(running)
        }
        return configured
      }
      group.addTask {
        for await window in running.drainOrders {
          LogLine.write("drain", ["cause": "control"])
          return window ?? configured
        }
        return configured
      }
      let window = await group.next() ?? configured
      group.cancelAll()
      return window
    }
  }

  private static func reload(_ running: RunningGateway) async {
    do {
      try await running.reloadCertificate()
      LogLine.write("certificate_reloaded")
    } catch {
      LogLine.write("certificate_kept", ["error": "\(error)"])
    }
  }

  /// Drains; a second signal ends everything at once.
  private static func end(_ running: RunningGateway, over window: Duration) async {
    let impatience = SignalStream([SIGTERM, SIGINT])
    // Not a task group: it would wait for the drain whatever the second signal says.
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task {
      await running.drain(over: window)
      end.yield()
    }
    Task {
      for await _ in impatience { end.yield() }
    }
    for await _ in ends { break }
    await running.stop()
    LogLine.write("stopped")
  }
}

/// The one line on standard output that says where the gateway is, for whoever started it.
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

  /// The host as it stands in a URL.
  private static func literal(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
