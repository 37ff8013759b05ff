import GatewayControl
import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayProxy
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayWires
import Glibc

/// The command `postern proxy`: it runs between clients and a real gateway, and changes nothing.
enum ProxyCommand: Command {
  static let name = "proxy"
  static let summary =
    "run a proxy between your clients and a real gateway: it passes WebSockets and HTTP on, and changes nothing unless ordered to"
  static let example = "postern proxy --to http://127.0.0.1:3000"
  static let sections = ProxyFlags.sections
  static let neededFirst = [
    "to", "i-may-proxy", "port", "control-port", "spaces", "wire", "tokens", "set-header", "upstream-ca",
    "tls-certificate",
  ]

  /// The time in which the closes at the end must be answered.
  private static let farewell = Duration.seconds(5)

  /// The room for requests beside the WebSockets of a port.
  static let requestsMax = 256
  /// The room in the process for each route: its port, and both ends of a few connections.
  private static let descriptorsOfRoute = 16

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let options = try ProxyOptions(arguments)
    // Both ends of a connection, and requests beside them.
    let room = 2 * options.limits.connections + (options.routes?.countMax ?? 0) * descriptorsOfRoute
    DescriptorTable.makeRoom(for: DescriptorLimit.raised(to: room + DescriptorLimit.reserve))
    let signals = SignalStream([SIGINT, SIGTERM])
    var settings = options.listener
    settings.limits.connectionsMax = room + requestsMax
    let loop = SocketLoop(index: 0, limits: settings.limits)
    try loop.start()
    defer { loop.stop() }
    settings.limits.connectionsMax = options.limits.connections + requestsMax
    let parts = await loop.perform { ProxyParts(options, on: loop) }
    settings.tunnels = options.tunnels(to: options.target, parts.refusedTunnels)
    let listener = try await Listener.start(settings, serving: parts.site, on: [loop])
    let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    let controlListener = try await options.control?.listen(parts, settings.limits, on: loop) { window in
      LoopStage(loop: loop.events).start {
        await parts.route?.drain(over: window ?? .zero)
        end.yield()
      }
    }
    await loop.perform { parts.host?.own([listener.port] + (controlListener.map { [$0.port] } ?? [])) }
    Output.line(ready(options, port: listener.port, controlPort: controlListener?.port))
    StartMemory.release()
    let watch = Task {
      for await _ in signals { end.yield() }
    }
    let input = Task {
      guard options.endsWithInput else { return }
      await InputEnd.wait()
      end.yield()
    }
    for await _ in ends { break }
    watch.cancel()
    input.cancel()
    signals.end()
    await finish(parts, listener, controlListener, on: loop)
    LineWriter.standardError.flush()
    return 0
  }

  /// Closes everything, the control port last, so that the journal can be read to its end.
  private static func finish(
    _ parts: ProxyParts, _ listener: Listener, _ controlListener: Listener?, on loop: SocketLoop
  ) async {
    await listener.stopAccepting()
    await loop.perform { parts.route?.end() }
    if let spaces = parts.spaces { await LoopStage(loop: loop.events).perform { await spaces.drain() } }
    await listener.finishRequests(within: farewell)
    await LoopStage(loop: loop.events).perform {
      let deadline = loop.events.now + farewell
      while parts.route?.connectionCount ?? 0 > 0, loop.events.now < deadline {
        await loop.events.sleep(until: loop.events.now + .milliseconds(20))
      }
      parts.control?.end()
      parts.recording?.recorder.end()
    }
    parts.recording?.file.close()
    await controlListener?.stopAccepting()
    await controlListener?.finishRequests(within: farewell)
    await loop.perform { parts.orders.end() }
  }

  /// Returns the lines that say where the proxy listens, where it leads, and its limits.
  private static func ready(_ options: ProxyOptions, port: Int, controlPort: Int?) -> String {
    let shown = literal(options.listener.host)
    let scheme = options.listener.tls == nil ? "ws" : "wss"
    let address = options.target?.dial.addresses.first.map { " (\($0))" } ?? ""
    let way = options.targets.own.map { " -> \($0.text)\(address)" } ?? " for routes only"
    let wire = options.control?.wire.map { "; wire \($0.name)" } ?? ""
    let tokens = options.control?.tokens.map { "; token endpoint \($0.text)" } ?? ""
    var lines = ["ready    \(scheme)://\(shown):\(port)\(way)"]
    if !options.targets.others.isEmpty {
      lines.append("also     \(options.targets.others.map(\.text).joined(separator: ", ")), for hand-overs")
    }
    if options.authority != nil {
      let host = options.target.map { Tunnel(host: $0.dial.host, port: $0.dial.port, isTLS: $0.dial.isTLS).text }
      let way = "CONNECT to \(host ?? "the hosts of routes"); TLS on the port too"
      lines.append("tunnels  HTTPS_PROXY=http://\(shown):\(port), \(way)")
    }
    if let controlPort {
      let host = literal(options.control?.host ?? "")
      lines.append("control  http://\(host):\(controlPort); faults and journal on\(wire)\(tokens)")
    }
    if let recording = options.recording { lines.append("record   \(recording.path), without secrets") }
    if let routes = options.routes {
      lines.append("routes   \(routes.countMax) at most, by POST /spaces, to \(options.targets.text)")
    }
    let host = options.target?.dial.host ?? "this machine"
    lines.append("limits   \(text(of: options.limits)) to \(host)")
    return lines.joined(separator: "\n")
  }

  private static func text(of limits: ProxyLimits) -> String {
    var parts = ["\(limits.connections) connections"]
    if let rate = limits.dialsPerSecond { parts.append("\(ProxyLimits.text(rate)) dials/s") }
    if let rate = limits.requestsPerSecond { parts.append("\(ProxyLimits.text(rate)) requests/s") }
    if let rate = limits.bytesPerSecond { parts.append("\(ProxyLimits.text(rate)) bytes/s") }
    return parts.joined(separator: ", ")
  }

  /// Returns a host in its URL form.
  static func literal(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
