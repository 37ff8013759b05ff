internal import GatewayIdentity
internal import GatewayRuntime
internal import GatewayTelemetry

extension Space {
  /// Begins to send spans, if there are traces.
  func beginSending() async {
    guard let telemetry else { return }
    for table in gateway.tables { await table.perform { telemetry.poster.prepare(on: $0.loop.transport) } }
    telemetry.exporter.begin()
  }

  /// Sends the spans that wait, for at most `patience`.
  package func finishTraces(within patience: Duration) async { await telemetry?.exporter.finish(within: patience) }

  /// The traces of each loop; none without traces.
  var traces: [LoopTraces] { gateway.tables.compactMap(\.traces) }

  /// The parts that send spans.
  struct Telemetry: Sendable {
    let poster: ReportPoster
    let exporter: SpanExporter

    init?(_ settings: TelemetrySettings?, of gateway: Gateway, by caller: EndpointCaller, counting counts: SpanCounts) {
      let traces = gateway.tables.compactMap(\.traces)
      guard let settings, !traces.isEmpty else { return nil }
      poster = ReportPoster(
        to: settings.address, counted: TelemetrySettings.name, tls: settings.tls, by: caller)
      exporter = SpanExporter(
        of: traces, as: settings.resource, by: CollectorPoster(poster: poster), counting: counts,
        log: gateway.configuration.log)
    }
  }
}
