import FoundationEssentials
import GatewayFleet
import GatewayKit
import GatewayReport

/// A scenario as a file has it: `loadtest/scenarios/provider-away/scenario.json`, for instance. JSON, comments allowed.
struct ScenarioFile {
  let scenario: StormScenario
  /// What has to hold in each phase.
  let thresholds: [(phase: String, threshold: Threshold)]

  private static let sizeMax = 1 << 20

  /// - Parameter file: What `--scenario` says.
  init(_ file: Arguments.Value) throws {
    let bytes = try InputFile.read(file.text, of: file.source, sizeMax: Self.sizeMax)
    func wrong(_ reason: String) -> UsageError { UsageError("\(file.source): '\(file.text)': \(reason)") }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      scenario = try decoder.decode(StormScenario.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw wrong(Self.sentence(error))
    } catch {
      throw wrong("is no JSON")
    }
    thresholds = try scenario.phases.flatMap { phase in
      try phase.thresholds.map { text in
        do {
          let threshold = try Threshold(parsing: text)
          guard threshold.metric.isOfPhases else {
            throw wrong("phase '\(phase.name)': \(threshold.metric.name) is known only of a whole storm (--threshold)")
          }
          return (phase: phase.name, threshold: threshold)
        } catch let error as ThresholdError {
          throw wrong("phase '\(phase.name)': \(error)")
        }
      }
    }
  }

  /// Where it is wrong, and what would be right.
  private static func sentence(_ error: DecodingError) -> String {
    let (path, reason): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context): (context.codingPath, "\"\(key.stringValue)\" is missing")
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        (context.codingPath, context.debugDescription)
      @unknown default: ([], "\(error)")
      }
    let steps = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
    let place = String(steps.joined(separator: "").drop { $0 == "." })
    return place.isEmpty ? reason : "\(place): \(reason)"
  }
}
