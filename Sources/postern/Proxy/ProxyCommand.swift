import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayProxy
import GatewayRuntime
import GatewayServer
import Glibc

/// The command `postern proxy`: it stands between clients and a real gateway, and changes nothing.
enum ProxyCommand: Command {
  static let name = "proxy"
  static let summary =
    "stands between your clients and a real gateway: passes WebSockets and HTTP on, and changes nothing"
  static let example = "postern proxy --to http://127.0.0.1:3000"
  static let sections = ProxyFlags.sections
  static let neededFirst = ["to", "i-may-proxy", "port", "set-header", "upstream-ca"]

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
    let route = await loop.perform {
      ProxyRoute(
        to: options.target, by: SocketDialer(on: loop), on: loop.events, limits: options.limits, fields: options.fields,
        allowsStorms: options.allowsStorms
      ) { failures.report($0) }
    }
    let listener = try await Listener.start(
      settings, serving: ProxySite(route, from: options.networks, guarding: options.guarding), on: [loop])
    Output.line(ready(options, port: listener.port))
    for await _ in signals { break }
    signals.end()
    await listener.stopAccepting()
    await loop.perform { route.end() }
    await listener.finishRequests(within: farewell)
    await LoopStage(loop: loop.events).perform {
      let deadline = loop.events.now + farewell
      while route.connectionCount > 0, loop.events.now < deadline {
        await loop.events.sleep(until: loop.events.now + .milliseconds(20))
      }
    }
    LineWriter.standardError.flush()
    return 0
  }

  /// Returns the lines that say where the proxy listens, where it leads, and its limits.
  private static func ready(_ options: ProxyOptions, port: Int) -> String {
    let host = options.listener.host
    let shown = host.contains(":") ? "[\(host)]" : host
    let scheme = options.listener.tls == nil ? "ws" : "wss"
    let address = options.target.dial.addresses.first.map { " (\($0))" } ?? ""
    var limits = ["\(options.limits.connections) connections"]
    if let rate = options.limits.dialsPerSecond { limits.append("\(ProxyLimits.text(rate)) dials/s") }
    if let rate = options.limits.requestsPerSecond { limits.append("\(ProxyLimits.text(rate)) requests/s") }
    if let rate = options.limits.bytesPerSecond { limits.append("\(ProxyLimits.text(rate)) bytes/s") }
    return """
      ready    \(scheme)://\(shown):\(port) -> \(options.targetText)\(address)
      limits   \(limits.joined(separator: ", ")) to \(options.target.dial.host)
      """
  }
}
