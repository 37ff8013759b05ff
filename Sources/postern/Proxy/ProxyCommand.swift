import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayProxy
import GatewayRuntime
import GatewayServer
import GatewayWires
import Glibc

/// The command `postern proxy`: it stands between clients and a real gateway, and changes nothing.
enum ProxyCommand: Command {
  static let name = "proxy"
  static let summary =
    "stands between your clients and a real gateway: passes WebSockets and HTTP on, and changes nothing unless ordered to"
  static let example = "postern proxy --to http://127.0.0.1:3000"
  static let sections = ProxyFlags.sections
  static let neededFirst = [
    "to", "i-may-proxy", "port", "control-port", "wire", "tokens", "journal-payloads", "set-header", "upstream-ca",
    "tls-certificate", "tls-key",
  ]

  /// The time in which the closes at the end must be answered.
  private static let farewell = Duration.seconds(5)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let options = try ProxyOptions(arguments)
    // Both ends of a connection, and requests beside them.
    let descriptors = DescriptorLimit.raised(to: 2 * options.limits.connections + DescriptorLimit.reserve)
    DescriptorTable.makeRoom(for: descriptors)
    let signals = SignalStream([SIGINT, SIGTERM])
    var settings = options.listener
    // Beside the WebSockets, for requests.
    settings.limits.connectionsMax = options.limits.connections + 256
    let loop = SocketLoop(index: 0, limits: settings.limits)
    try loop.start()
    defer { loop.stop() }
    let failures = ProxyFailures(on: loop.events)
    let (route, control) = await loop.perform {
      let control = options.control?.control(on: loop.events, seed: options.seed)
      let route = ProxyRoute(
        to: options.target, by: SocketDialer(on: loop), on: loop.events, limits: options.limits, fields: options.fields,
        allowsStorms: options.allowsStorms, control: control
      ) { failures.report($0) }
      return (route, control)
    }
    let listener = try await Listener.start(
      settings, serving: ProxySite(route, from: options.networks, guarding: options.guarding), on: [loop])
    let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    var controlListener: Listener?
    if let control {
      controlListener = try await options.control?.listen(route, control, settings.limits, on: loop) { window in
        LoopStage(loop: loop.events).start {
          await route.drain(over: window ?? .zero)
          end.yield()
        }
      }
    }
    Output.line(ready(options, port: listener.port, controlPort: controlListener?.port))
    let watch = Task {
      for await _ in signals { end.yield() }
    }
    for await _ in ends { break }
    watch.cancel()
    signals.end()
    await finish(route, control, [listener], controlListener, on: loop)
    LineWriter.standardError.flush()
    return 0
  }

  /// Closes everything, the control port last, so that the journal can be read to its end.
  private static func finish(
    _ route: ProxyRoute, _ control: ProxyControl?, _ listeners: [Listener], _ controlListener: Listener?,
    on loop: SocketLoop
  ) async {
    for listener in listeners { await listener.stopAccepting() }
    await loop.perform { route.end() }
    for listener in listeners { await listener.finishRequests(within: farewell) }
    await LoopStage(loop: loop.events).perform {
      let deadline = loop.events.now + farewell
      while route.connectionCount > 0, loop.events.now < deadline {
        await loop.events.sleep(until: loop.events.now + .milliseconds(20))
      }
      control?.end()
    }
    await controlListener?.stopAccepting()
    await controlListener?.finishRequests(within: farewell)
  }

  /// Returns the lines that say where the proxy listens, where it leads, and its limits.
  private static func ready(_ options: ProxyOptions, port: Int, controlPort: Int?) -> String {
    let shown = literal(options.listener.host)
    let scheme = options.listener.tls == nil ? "ws" : "wss"
    let address = options.target.dial.addresses.first.map { " (\($0))" } ?? ""
    var limits = ["\(options.limits.connections) connections"]
    if let rate = options.limits.dialsPerSecond { limits.append("\(ProxyLimits.text(rate)) dials/s") }
    if let rate = options.limits.requestsPerSecond { limits.append("\(ProxyLimits.text(rate)) requests/s") }
    if let rate = options.limits.bytesPerSecond { limits.append("\(ProxyLimits.text(rate)) bytes/s") }
    let wire = options.control?.wire.map { "; wire \($0.name)" } ?? ""
    let tokens = options.control?.tokens.map { "; token endpoint \($0.text)" } ?? ""
    let control = controlPort.map { port in
      "control  http://\(literal(options.control?.host ?? "")):\(port); faults and journal on\(wire)\(tokens)\n"
    }
    return """
      ready    \(scheme)://\(shown):\(port) -> \(options.targetText)\(address)
      \(control ?? "")limits   \(limits.joined(separator: ", ")) to \(options.target.dial.host)
      """
  }

  private static func literal(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
