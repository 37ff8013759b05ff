package import GatewayIdentity
package import GatewayRuntime
package import GatewayTelemetry
package import GatewayTokens

/// The collector of a gateway's traces, and the choice of traces.
package struct TelemetrySettings: Sendable {
  /// The name of the collector among the outbound endpoints. No issuer can have it.
  package static let name = "otlp:traces"

  /// The collector's own address of traces.
  package let address: EndpointAddress
  package let resource: TraceResource
  /// The share of traces that are recorded.
  package var share = TraceSettings.usualShare
  package var namesUsers = false
  /// The files for TLS; nil for the system's.
  package var tls: TLSIdentity?

  package init(to address: EndpointAddress, as resource: TraceResource) {
    (self.address, self.resource) = (address, resource)
  }

  /// Returns which operations are traced, with numbers from `secrets`: two processes must not share them.
  package func traces(_ secrets: Secrets) -> TraceSettings {
    let seed = secrets.bytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return TraceSettings(share: share, namesUsers: namesUsers, seed: seed)
  }
}

/// The collector, asked like every other server.
package struct CollectorPoster: SpanPoster {
  let poster: ReportPoster

  package init(poster: ReportPoster) { self.poster = poster }

  package nonisolated(nonsending) func post(_ body: [UInt8]) async -> PostedSpans {
    do throws(OutboundFailure) {
      return .answered(try await poster.post(body))
    } catch {
      return error.result == .timedOut ? .unanswered(error.description) : .undelivered(error.description)
    }
  }
}
