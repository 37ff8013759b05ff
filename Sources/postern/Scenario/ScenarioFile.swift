import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlanner
import GatewayReport
import GatewayWires

/// A scenario file, for a storm and a simulated one alike. It is JSON, and may have comments.
struct ScenarioFile {
  /// The fleet, the simulated gateway and provider, and the phases.
  let world: SimulateScenario

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - source: The flag or operand that names it.
  init(_ path: String, of source: String) throws {
    try self.init(
      parsing: try InputFile.readLocal(path, of: source, sizeMax: DescriptionFile.sizeMax), path: path, of: source)
    for notice in world.notices { Output.error("\(path): \(notice)") }
  }

  /// Parses a file's bytes; `path` and `source` are its names in errors.
  init(parsing bytes: [UInt8], path: String, of source: String) throws {
    func wrong(_ reason: String) -> UsageError { UsageError("\(source): '\(path)': \(reason)") }
    do {
      let file = try DescriptionFile.parse(bytes, file: path)
      var world = try SimulateScenario(file)
      if let scenario = try Self.phases(of: file) {
        world.settings.scenario = scenario
        for index in world.fleets.indices { world.fleets[index].scenario.settings.scenario = scenario }
        world.phaseThresholds = try Self.thresholds(scenario, wrong)
      }
      self.world = world
    } catch let error as DescriptionError {
      throw UsageError("\(source): \(error)")
    } catch let error as DecodingError {
      throw wrong(Self.sentence(error))
    }
  }

  /// Returns the phases; nil if the file has none.
  private static func phases(of file: Described) throws -> StormScenario? {
    guard let phases = file.value.member("phases") else { return nil }
    let text = JSONWriter.object { json in
      json.name("phases")
      phases.write(to: &json)
    }
    return try JSONCoder().decode(StormScenario.self, from: text)
  }

  private static func thresholds(
    _ scenario: StormScenario, _ wrong: (String) -> UsageError
  ) throws -> [(phase: String, threshold: Threshold)] {
    try scenario.phases.flatMap { phase in
      try phase.thresholds.map { text in
        do {
          let threshold = try Threshold(parsing: text)
          guard threshold.fleet == nil else {
            throw wrong("phase '\(phase.name)': '\(text)' names a fleet; the thresholds of a phase are of all fleets")
          }
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

  /// Returns the place of the error and its reason.
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
