import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewayRuntime
import GatewaySpace
import GatewayTelemetry

/// The flags of a command for traces, with the variables of OpenTelemetry that stand in for them.
struct TracesDraft: Sendable {
  private var collector: Arguments.Value?
  private var share: Double?
  private var namesUsers = false

  @OptionList<TracesDraft>
  static var options: [Option<TracesDraft>] {
    Option(
      "otlp", "URL",
      "send traces to this OpenTelemetry collector, by OTLP over HTTP as JSON, at URL/v1/traces "
        + "(default: OTEL_EXPORTER_OTLP_ENDPOINT, or no traces)", \.collector, .asGiven)
    Option(
      "trace-share", "SHARE",
      "the share of traces that are recorded, beside failures (default: OTEL_TRACES_SAMPLER_ARG, or 0.01)", \.share,
      .share)
    Option("trace-users", "name users in spans (default: spans name nobody)", \.namesUsers)
  }

  /// The variables that are read in place of flags.
  private enum Variable: String {
    case endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
    case service = "OTEL_SERVICE_NAME"
    case share = "OTEL_TRACES_SAMPLER_ARG"

    func value(_ environment: [String: String]) -> String? {
      // An empty variable counts as unset, as OpenTelemetry says.
      environment[rawValue].flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// Returns where traces are sent; nil for nowhere. Variables may be meant for other programs of the machine, so those that
  /// cannot be used do not end a command without flags for traces.
  ///
  /// - Parameters:
  ///   - service: The name of the service unless a variable names it.
  ///   - environment: The variables of the process.
  ///   - note: Tells why variables are not used.
  func settings(
    _ service: String, _ environment: [String: String] = ProcessEnvironment.variables,
    note: (String) -> Void = Output.error
  ) throws -> TelemetrySettings? {
    do {
      return try read(service, environment)
    } catch {
      guard collector == nil, share == nil, !namesUsers else { throw error }
      note("\(error); no traces are sent")
      return nil
    }
  }

  private func read(_ service: String, _ environment: [String: String]) throws -> TelemetrySettings? {
    let source: String
    let text: String
    if let collector {
      (source, text) = (collector.source, collector.text)
    } else if let value = Variable.endpoint.value(environment) {
      (source, text) = (Variable.endpoint.rawValue, value)
    } else {
      guard share == nil, !namesUsers else {
        throw UsageError("--trace-share and --trace-users are of --otlp; give it")
      }
      return nil
    }
    var settings = TelemetrySettings(
      to: try Self.address(text, source),
      as: TraceResource(service: Variable.service.value(environment) ?? service, version: Version.number))
    settings.namesUsers = namesUsers
    if let share {
      settings.share = share
    } else if let value = Variable.share.value(environment) {
      guard let share = Double(value), (0...1).contains(share) else {
        throw UsageError(Variable.share.rawValue, value: value, expected: "a number from 0 to 1")
      }
      settings.share = share
    }
    return settings
  }

  /// Returns the address of traces at a collector's own address.
  private static func address(_ text: String, _ source: String) throws -> EndpointAddress {
    let path = "/v1/traces"
    guard !text.utf8.contains(UInt8(ascii: "?")) else {
      throw UsageError("\(source) \(text): an address with a query; give the collector's own address")
    }
    let base = text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    do throws(EndpointFault) {
      return try EndpointAddress(base + path)
    } catch {
      throw UsageError("\(source) \(text): \(error)")
    }
  }
}
