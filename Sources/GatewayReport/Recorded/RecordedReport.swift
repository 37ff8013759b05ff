package import GatewayFleet
internal import GatewayJSON

/// A report of an earlier storm as its JSON has it: the baseline that another is held against, for instance.
///
/// Reads what it needs and no more, so that a report of an older postern of the same version of the schema will do.
package struct RecordedReport: Sendable {
  package let startedAt: String
  /// The name of the run, which the other side's logs have; nil if the storm said none.
  package let run: String?
  package let gateway: String
  package let dialect: String
  package let passes: Bool
  /// Whether somebody ended the storm before its time.
  package let wasInterrupted: Bool
  /// Why it ended itself before its time; nil if it did not.
  package let stopped: String?
  /// Why its figures are those of a part of a storm; nil for a whole one.
  package var cutShort: String? { wasInterrupted ? "it was interrupted" : stopped.map { "it ended itself: \($0)" } }
  /// Whether its time was up before every client was refreshed or cut off.
  package let ranOutOfTime: Bool
  /// What to know before one believes the figures.
  package let caveats: [String]
  /// What would have kept those who were lost, in a sentence; nil where the storm does not tell.
  package let advice: String?
  package let thresholds: [Threshold.Outcome]
  /// By the metrics' names.
  package let figures: [String: Figure]
  /// What the storm was asked to do, each setting by its path: `gateway.lead` is `0`.
  package let settings: [String: String]
  /// Why logins came to nothing, and how often; empty where the report does not say.
  package let failedLogins: [String: Int]
  /// In one line: cores, processor, memory, system.
  package let machine: String
  /// How long it took, in seconds.
  package let seconds: Double
  package let series: StormSeries
  package let latencies: StormResult.Latencies
  /// From asked to refreshed, well-behaved clients.
  package let refreshLatency: LatencyHistogram

  /// The report that `bytes` hold, as ``StormReport/json()`` writes it.
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
    figures = document.figures
    settings = document.plan.settings
    failedLogins = document.result.connects?.failed ?? [:]
    machine = document.machine.summary
    // A number that no storm can have taken draws no axis of its length.
    seconds = min(max(0, document.result.seconds), Double(StormSeries.secondsMax))
    series = document.result.series
    latencies = document.result.latencies
    refreshLatency = document.result.behaviours[Behaviour.wellBehaved.rawValue]?.refreshLatency ?? LatencyHistogram()
  }

  private struct Version: Decodable {
    let schema: String
  }

  /// Whatever is JSON.
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
    let plan: RecordedSetting
    let machine: Machine
    let result: Result

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
  /// Where in the document it is wrong: `result.series`; `the top` for the document itself.
  fileprivate var place: String {
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
