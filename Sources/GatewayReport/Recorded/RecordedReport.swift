package import GatewayFleet
internal import GatewayJSON

/// A report of an earlier storm, read from its JSON. It serves as the baseline of a comparison.
///
/// It reads only the members that it needs, so that it accepts reports of older versions of postern with the same
/// schema version.
package struct RecordedReport: Sendable {
  package let startedAt: String
  /// The name of the run, which also appears in the other side's logs; nil if the storm sent none.
  package let run: String?
  package let gateway: String
  package let dialect: String
  package let passes: Bool
  /// Whether a user ended the storm early.
  package let wasInterrupted: Bool
  /// Why the storm ended itself early; nil if it did not.
  package let stopped: String?
  /// Why the storm is incomplete; nil if it is complete.
  package var cutShort: String? { wasInterrupted ? "it was interrupted" : stopped.map { "it ended itself: \($0)" } }
  /// Whether its time was up before every client was refreshed or closed.
  package let ranOutOfTime: Bool
  /// Restrictions on the figures' reliability.
  package let caveats: [String]
  /// The advice that would have kept the lost clients, in a sentence; nil if the storm gives none.
  package let advice: String?
  package let thresholds: [Threshold.Outcome]
  /// The fleets of which it is the sum; none for a storm of one.
  package let fleets: [Fleet]
  /// The figures by the metrics' names.
  package let figures: [String: Figure]
  /// The storm's plan, each setting by its path: `gateway.lead` is `0`.
  package let settings: [String: String]
  /// The reasons and counts of failed logins; empty if the report has none.
  package let failedLogins: [String: Int]
  /// The machine in one line: cores, processor, memory, system.
  package let machine: String
  /// The duration in seconds.
  package let seconds: Double
  package let series: StormSeries
  package let latencies: StormResult.Latencies
  /// The time from the refresh request to the refresh, for well-behaved clients.
  package let refreshLatency: LatencyHistogram

  /// A fleet of a storm that has several.
  package struct Fleet: Sendable {
    package let name: String
    /// The report, with the figures and the plan of this fleet, and without thresholds.
    package let report: RecordedReport
  }

  /// Reads the report from `bytes`, in the format of ``StormReport/json()``.
  package init(json bytes: [UInt8]) throws(RecordedReportError) {
    let coder = JSONCoder(names: .snakeCase)
    let version: String
    do {
      version = try coder.decode(Version.self, from: bytes).schema
    } catch {
      guard JSONEnding(of: bytes) == .there else { throw RecordedReportError(.truncated) }
      let isJSON = (try? coder.decode(Anything.self, from: bytes)) != nil
      throw RecordedReportError(isJSON ? .notAReport : .notJSON)
    }
    guard version == StormReport.schema else {
      throw RecordedReportError(version.hasPrefix("postern-storm/") ? .otherVersion(version) : .notAReport)
    }
    do {
      self.init(try coder.decode(Document.self, from: bytes))
      guard Self.areNames(fleets.map(\.name)) else { throw RecordedReportError(.wrong(at: "fleets")) }
    } catch let error as RecordedReportError {
      throw error
    } catch let error as DecodingError {
      throw RecordedReportError(.wrong(at: error.place))
    } catch {
      throw RecordedReportError(.notAReport)
    }
  }

  private init(_ document: Document) {
    startedAt = document.startedAt
    run = document.run
    gateway = document.gateway
    dialect = document.sdk.map { "\(document.dialect), \($0) SDK" } ?? document.dialect
    passes = document.passes
    wasInterrupted = document.result.wasInterrupted
    stopped = document.result.stopped
    ranOutOfTime = document.result.ranOutOfTime ?? false
    caveats = document.caveats
    advice = document.advice?.text
    thresholds = document.thresholds
    fleets = (document.fleets ?? []).map { Fleet(name: $0.name, report: RecordedReport($0, of: document)) }
    figures = document.figures
    settings = document.plan.settings
    failedLogins = document.result.connects?.failed ?? [:]
    machine = document.machine.summary
    // The limit keeps an impossible number from producing an endless axis.
    seconds = min(max(0, document.result.seconds), Double(StormSeries.secondsMax))
    series = document.result.series
    latencies = document.result.latencies
    refreshLatency = document.result.behaviours[Behaviour.wellBehaved.rawValue]?.refreshLatency ?? LatencyHistogram()
  }

  /// Reads one fleet of a report.
  private init(_ fleet: Document.Fleet, of document: Document) {
    startedAt = document.startedAt
    run = document.run
    gateway = fleet.gateway
    dialect = fleet.sdk.map { "\(fleet.dialect), \($0) SDK" } ?? fleet.dialect
    passes = document.passes
    wasInterrupted = document.result.wasInterrupted
    stopped = document.result.stopped
    ranOutOfTime = fleet.result.ranOutOfTime ?? false
    caveats = []
    advice = nil
    thresholds = []
    fleets = []
    figures = fleet.figures
    settings = fleet.plan.settings
    failedLogins = fleet.result.connects?.failed ?? [:]
    machine = document.machine.summary
    seconds = min(max(0, fleet.result.seconds), Double(StormSeries.secondsMax))
    series = fleet.result.series
    latencies = fleet.result.latencies
    refreshLatency = fleet.result.behaviours[Behaviour.wellBehaved.rawValue]?.refreshLatency ?? LatencyHistogram()
  }

  /// Returns whether these are different names of fleets, or of their parts with one SDK.
  private static func areNames(_ names: [String]) -> Bool {
    names.count <= FleetPlace.countMax && Set(names.map { Array($0.utf8) }).count == names.count
      && names.allSatisfy { name in
        name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
          .allSatisfy { FleetPlace.isName(String($0)) }
      }
  }

  private struct Version: Decodable {
    let schema: String
  }

  /// Any JSON value.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
  }

  private struct Document: Decodable {
    let startedAt: String
    let run: String?
    let gateway: String
    let dialect: String
    let sdk: String?
    let passes: Bool
    let caveats: [String]
    let advice: Advice?
    let thresholds: [Threshold.Outcome]
    let figures: [String: Figure]
    let fleets: [Fleet]?
    let plan: RecordedSetting
    let machine: Machine
    let result: Result

    struct Fleet: Decodable {
      let name: String
      let gateway: String
      let dialect: String
      let sdk: String?
      let figures: [String: Figure]
      let plan: RecordedSetting
      let result: Result
    }

    struct Advice: Decodable {
      let text: String
    }

    struct Result: Decodable {
      let seconds: Double
      let wasInterrupted: Bool
      let stopped: String?
      let ranOutOfTime: Bool?
      let series: StormSeries
      let latencies: StormResult.Latencies
      let behaviours: [String: Tally]
      let connects: Connects?
    }

    struct Connects: Decodable {
      let failed: [String: Int]?
    }

    struct Tally: Decodable {
      let refreshLatency: LatencyHistogram
    }
  }
}

extension DecodingError {
  /// The place of the error in the document, e.g. `result.series`; `the top` for the document itself.
  package var place: String {
    let path =
      switch self {
      case .keyNotFound(let key, let context): context.codingPath + [key]
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        context.codingPath
      @unknown default: [any CodingKey]()
      }
    let names = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return names.isEmpty ? "the top" : names.joined(separator: ".")
  }
}
