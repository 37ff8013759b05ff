import GatewayCore
import GatewayIdentity
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayTelemetry
import GatewayTokens

/// The traces of the loops of a storm, and the way to their collector.
struct StormTraces {
  /// The traces of each loop.
  let loops: [LoopTraces]
  private let exporter: SpanExporter

  /// How long the end of a storm waits for the last spans.
  private static let patience = Duration.seconds(3)

  /// Begins to send; nil without a collector.
  static func begin(_ settings: TelemetrySettings?, on loops: [SocketLoop]) async -> StormTraces? {
    guard let settings else { return nil }
    let caller = EndpointCaller(log: nil)
    var traces: [LoopTraces] = []
    let chosen = settings.traces(.system)
    for loop in loops { traces.append(await loop.perform { LoopTraces(chosen, on: loop.events) }) }
    caller.begin(loops.map { ($0.events, SocketDialer(on: $0)) }, names: nil)
    let poster = ReportPoster(to: settings.address, counted: TelemetrySettings.name, tls: settings.tls, by: caller)
    await loops[0].perform { poster.prepare(on: loops[0].events) }
    return StormTraces(
      loops: traces,
      exporter: SpanExporter(
        of: traces, as: settings.resource, by: CollectorPoster(poster: poster), counting: SpanCounts(),
        log: OperatorLog(level: .warning, format: .text).gateway))
  }

  private init(loops: [LoopTraces], exporter: SpanExporter) {
    (self.loops, self.exporter) = (loops, exporter)
    exporter.begin()
  }

  /// Sends the spans that wait.
  func finish() async { await exporter.finish(within: Self.patience) }
}
